// The page's part of a live figure: what a kernel can neither see nor say. An anywidget; its element holds the buttons
// in the corner of the figure. What all figures of a page have in common is in `shared`: this file is loaded for each.

const CORNERS = '<path d="M1 5V1h4M11 1h4v4M15 11v4h-4M5 15H1v-4" fill="none" stroke="currentColor" stroke-width="2"/>';
const DOTS = '<circle cx="2.5" cy="8" r="1.7"/><circle cx="8" cy="8" r="1.7"/><circle cx="13.5" cy="8" r="1.7"/>';
const icon = shape => `<svg viewBox="0 0 16 16" width="14" height="14" fill="currentColor" aria-hidden="true">${shape}</svg>`;
const WORDS = "Enlarge to the window (Escape: back)", MORE = "More about this figure";
const ASK = 200, PATIENCE = 100; // milliseconds without a picture until the kernel is asked, and until it is called busy
const GONE = 20_000; // and until it may be gone
const shared = window.liveFigures ??= { opened: new WeakSet(), listens: false };

function render({ model, el }) {
    const button = made("button", { title: WORDS, ariaLabel: WORDS, innerHTML: icon(CORNERS) });
    el.append(menu(model), button);
    const leave = [];
    const seen = new ResizeObserver(() => { // an element has a size when it stands in the page
        const figure = el.closest(".live-figure");
        if (!figure || leave.length) return;
        figure.style.setProperty("--live-accent", model.get("accent"));
        figure.live = { names: model.get("names"), move: values => model.send({ kind: "move", values }) };
        figure.querySelector(".live-below").ariaLive = "polite"; // it stays: what is new in it is read out
        stepBack(figure);
        followLinks();
        leave.push(enlarging(figure, button), densities(figure, model), waiting(figure, model));
        leave.push(naming(figure), ownKeys(figure), choosing(figure), pinning(figure, model), failing(figure, model));
        leave.push(replaying(figure), opening(figure, model));
    });
    seen.observe(button);
    return () => [() => seen.disconnect(), ...leave].forEach(stop => stop());
}

function made(tag, properties) {
    return Object.assign(document.createElement(tag), properties);
}

// An event listener, and what removes it.
function listen(target, kind, heard, options) {
    target.addEventListener(kind, heard, options);
    return () => target.removeEventListener(kind, heard, options);
}

// What calls `changed` when these attributes or children of an element, or of what it holds, change; and what stops it.
function watch(element, changed, what) {
    const observer = new MutationObserver(changed);
    observer.observe(element, { subtree: true, ...what });
    return () => observer.disconnect();
}

// The picture that the page stored before this figure stands just before it: it is not shown twice.
function stepBack(figure) {
    for (let box = figure; box?.parentElement; box = box.parentElement) {
        const stored = box.previousElementSibling;
        if (stored?.querySelector(".live-stored")) {
            for (const one of [stored, stored.previousElementSibling]) one?.classList.add("live-stepped-back");
            stored.querySelector("style")?.remove(); // it looks into every output of the page, at each change of any
            return;
        }
        if (box.parentElement.querySelectorAll(".live-figure").length > 1) return; // what is above is another figure's
    }
}

// A popover lies above all else, whatever holds the figure; Escape closes it, as it does any other.
function enlarging(figure, button) {
    const pressed = () => {
        if (figure.matches(":popover-open")) return figure.hidePopover();
        const place = figure.parentElement;
        place.style.minHeight = `${figure.offsetHeight}px`;
        figure.popover = "auto";
        const closed = event => {
            if (event.target !== figure || event.newState !== "closed") return;
            figure.removeEventListener("toggle", closed);
            figure.popover = null;
            place.style.minHeight = "";
            button.focus({ preventScroll: true });
        };
        figure.addEventListener("toggle", closed);
        figure.showPopover();
        button.focus();
    };
    return listen(button, "click", pressed);
}

// `ratio` has how many pixels of the screen a dot of the picture gets, in quarters; the kernel hears only of changes.
function densities(figure, model) {
    const measure = () => {
        const picture = figure.querySelector(".live-picture");
        if (!picture?.clientWidth) return;
        const scales = ["Width", "Height"].map(way => picture[`client${way}`] / picture.getAttribute(way));
        const wanted = Math.max(1, Math.ceil(4 * Math.min(...scales) * devicePixelRatio - 0.1) / 4);
        if (!Number.isFinite(wanted) || model.get("ratio") === wanted) return;
        model.set("ratio", wanted);
        model.save_changes();
    };
    const resized = new ResizeObserver(measure);
    resized.observe(figure);
    let stop;
    const follow = () => { // another screen, whose dots are finer or coarser, has another query
        const screen = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
        stop = listen(screen, "change", () => { measure(); follow(); }, { once: true });
    };
    follow();
    const loaded = listen(figure, "load", measure, true);
    measure();
    return () => { resized.disconnect(); loaded(); stop(); };
}

// Moved, and nothing drawn: one that runs a cell answers later, so say so; one that does not answer at all may be gone.
// A click may have moved nothing: then the kernel is asked, and its answer is enough. A value that has changed is not
// seen to until it is drawn: a kernel may answer while what moves a slider still waits behind a cell.
function waiting(figure, model) {
    let timer = 0, changed = false;
    const answered = () => {
        clearTimeout(timer);
        timer = 0;
        changed = false;
        figure.removeAttribute("aria-busy");
        delete figure.dataset.gone;
    };
    const there = said => { if (said.kind === "there" && !changed) answered(); };
    const busy = () => {
        figure.setAttribute("aria-busy", "true");
        timer = setTimeout(() => { figure.dataset.gone = ""; }, GONE);
    };
    const ask = () => {
        try { model.send({ kind: "there?" }); } catch { figure.dataset.gone = ""; }
        timer = setTimeout(busy, PATIENCE);
    };
    const moved = () => { timer ||= setTimeout(ask, ASK); };
    const slid = records => { // a key at a slider's end writes the value that stands there: nothing is to be drawn
        if (records.every(({ target, oldValue, attributeName }) => target.getAttribute(attributeName) === oldValue)) return;
        changed = true;
        moved();
    };
    model.on("msg:custom", there);
    model.on("change:drawn", answered);
    const stops = [
        watch(figure.querySelector(".live-controls"), slid, {
            attributes: true, attributeOldValue: true, attributeFilter: ["aria-valuenow"],
        }),
        listen(figure, "click", event => { if (!event.target.closest(".live-page, .live-field")) moved(); }),
    ];
    return () => {
        model.off("msg:custom", there);
        model.off("change:drawn", answered);
        answered();
        stops.forEach(stop => stop());
    };
}

// An update that failed leaves an old picture.
function failing(figure, model) {
    const say = () => { figure.toggleAttribute("data-stale", model.get("stale")); };
    model.on("change:stale", say);
    say();
    return () => model.off("change:stale", say);
}

// Keys that move a handle are the slider's: Jupyter would take the arrows for its own, and go to another cell.
function ownKeys(figure) {
    const heard = ({ target, key, ctrlKey, metaKey, altKey, shiftKey }) => {
        const handle = target.closest?.(".noUi-handle");
        if (!handle || !figure.contains(handle) || ctrlKey || metaKey || altKey || shiftKey) return;
        if (!/^(Arrow|Page|Home|End)/.test(key)) return;
        handle.setAttribute("data-lm-suppress-shortcuts", "true"); // heard by Jupyter after us, and before the slider
        setTimeout(() => handle.removeAttribute("data-lm-suppress-shortcuts"));
    };
    return listen(window, "keydown", heard, true);
}

// Names for those who hear the page: of the handles of sliders, of players, of groups of buttons.
function naming(figure) {
    const players = new Map();
    const name = () => {
        figure.querySelectorAll(".widget-slider").forEach(nameSlider);
        figure.querySelectorAll(".widget-toggle-buttons").forEach(nameGroup);
        for (const play of figure.querySelectorAll(".live-play")) {
            namePlayer(play);
            if (players.has(play)) continue; // its first button turns from play to pause and back
            players.set(play, watch(play, name, { attributes: true, attributeFilter: ["class"] }));
        }
    };
    const stop = watch(figure, name, { childList: true, attributes: true, attributeFilter: ["aria-valuetext"] });
    name();
    return () => [stop, ...players.values()].forEach(one => one());
}

function nameSlider(slider) {
    const label = questionOf(slider) ?? slider.querySelector(".widget-label")?.textContent;
    const handles = slider.querySelectorAll(".noUi-handle"), readout = slider.querySelector(".widget-readout");
    const unset = slider.classList.contains("live-unset");
    handles.forEach((handle, one) => {
        say(handle, "aria-label", label + (handles.length > 1 ? [", from", ", to"][one] : ""));
        if (handles.length === 1) say(handle, "aria-valuetext", unset ? "not chosen yet" : readout?.textContent);
    });
    if (slider.classList.contains("live-stops") && readout) readout.contentEditable = "false";
}

function nameGroup(group) {
    say(group, "role", "group");
    say(group, "aria-label", questionOf(group) ?? group.querySelector(".widget-label")?.textContent);
}

// The question that a field answers.
function questionOf(field) {
    return field.classList.contains("live-field") ? field.closest(".live-guess")?.querySelector(".guess-first")?.textContent : null;
}

function namePlayer(play) {
    const words = play.querySelector(".widget-label")?.textContent, runs = play.querySelector(".fa-pause");
    const names = [runs ? words?.replace("play", "pause") : words, "back to the start"];
    play.querySelectorAll("button").forEach((button, one) => say(button, "aria-label", names[one]));
}

function say(element, what, words) {
    if (words && element.getAttribute(what) !== words) element.setAttribute(what, words);
}

// The menu in the corner: what is sent to the kernel, and what it sends back to be saved.
function menu(model) {
    const box = made("div", { className: "live-menu" }), list = made("div", { className: "live-list", hidden: true });
    const open = made("button", { title: MORE, ariaLabel: MORE, ariaExpanded: "false", innerHTML: icon(DOTS) });
    const show = shown => { list.hidden = !shown; open.ariaExpanded = String(shown); };
    const entry = (words, message) => {
        const button = made("button", { textContent: words });
        button.addEventListener("click", () => { model.send(message()); show(false); open.focus(); });
        list.append(button);
        return button;
    };
    entry("Reset", () => ({ kind: "reset" }));
    const pin = entry("Pin this curve", () => ({ kind: "pin" }));
    entry("Save as SVG", () => ({ kind: "save", format: "svg" }));
    entry("Save as PNG", () => ({ kind: "save", format: "png" }));
    if (model.get("shared")) {
        const each = entry("", () => ({ kind: "together", on: !model.get("together") }));
        const say = () => {
            const name = model.get("shared"), on = model.get("together");
            each.textContent = on ? `Move ${name} here only` : `Move ${name} in all figures`;
        };
        model.on("change:together", say);
        say();
    }
    model.on("change:pinned", () => { pin.textContent = model.get("pinned") ? "Unpin" : "Pin this curve"; });
    model.on("msg:custom", (said, buffers) => { if (said.kind === "saved") download(said.format, buffers[0]); });
    open.addEventListener("click", () => show(list.hidden));
    box.addEventListener("keydown", event => {
        if (event.key !== "Escape" || list.hidden) return;
        event.stopPropagation();
        show(false);
        open.focus();
    });
    box.addEventListener("focusout", event => { if (!box.contains(event.relatedTarget)) show(false); });
    box.append(open, list);
    return box;
}

function download(format, bytes) {
    const type = format === "svg" ? "image/svg+xml" : `image/${format}`;
    const link = made("a", { href: URL.createObjectURL(new Blob([bytes], { type })), download: `figure.${format}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// What was pinned lies over the picture, pale; white lets the picture through.
function pinning(figure, model) {
    const over = made("img", { className: "live-pinned", alt: "" }), picture = figure.querySelector(".live-picture");
    const place = () => {
        for (const side of ["Left", "Top", "Width", "Height"]) over.style[side.toLowerCase()] = `${picture[`offset${side}`]}px`;
    };
    const resized = new ResizeObserver(place);
    const show = () => {
        const pinned = model.get("pinned");
        if (!pinned) return over.remove();
        over.src = pinned;
        figure.append(over);
        place();
    };
    model.on("change:pinned", show);
    resized.observe(figure);
    show();
    return () => { model.off("change:pinned", show); resized.disconnect(); over.remove(); };
}

// A question's slider has no handle until the reader has touched it; an answer is noted at once, whoever is busy. The
// button that was pressed goes: then the keyboard goes on at the next question, or at the first control.
function choosing(figure) {
    let pressed = false;
    const chosen = event => {
        const field = event.target.closest?.(".live-unset");
        if (!field || (event.type === "keydown" && !/^(Arrow|Page|Home|End)/.test(event.key))) return;
        field.classList.remove("live-unset");
        nameSlider(field);
    };
    const noted = event => {
        const form = event.target.closest?.("button") && event.target.closest(".live-guess");
        if (!form || event.target.closest(".live-field")) return;
        form.dataset.noted = "";
        pressed = true;
    };
    const asks = figure.querySelector(".live-guess");
    const answered = () => {
        delete asks.dataset.noted;
        if (!pressed || asks.contains(document.activeElement)) return;
        const [where, what] = figure.querySelector(".live-controls [disabled]") ? [asks, ".live-field"] : [figure, ".live-controls"];
        const next = where.querySelector(`${what} :is(.noUi-handle, input, button)`);
        next?.focus({ preventScroll: true });
        pressed = !next;
    };
    return [
        listen(figure, "pointerdown", chosen, true), listen(figure, "keydown", chosen, true),
        listen(figure, "click", noted), watch(asks, answered, { childList: true }),
    ].reduce((all, stop) => () => { all(); stop(); });
}

// One page of figures: a notebook, or what the browser shows.
const pageOf = element => element.closest(".jp-Notebook") ?? document.body;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// A link to #move:name=value&name2=value2 moves the nearest figure above it that has all of these controls, else the
// next below.
function followLinks() {
    if (shared.listens) return;
    shared.listens = true;
    document.addEventListener("click", event => {
        const link = event.target.closest?.('a[href*="#move:"]');
        if (!link || event.ctrlKey || event.metaKey) return;
        const values = Object.fromEntries(new URLSearchParams(link.getAttribute("href").split("#move:")[1]));
        const fits = figure => Object.keys(values).every(name => figure.live?.names.includes(name));
        const figures = [...pageOf(link).querySelectorAll(".live-figure")].filter(fits);
        const isAbove = figure => link.compareDocumentPosition(figure) & Node.DOCUMENT_POSITION_PRECEDING;
        const figure = figures.filter(isAbove).at(-1) ?? figures[0];
        if (!figure) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        figure.scrollIntoView({ block: "nearest", behavior: still() ? "auto" : "smooth" });
        const asks = figure.querySelector(".guess-first");
        if (asks) return flash(asks); // first the guess: the controls wait
        figure.live.move(values);
        flash(figure.querySelector(".live-controls"));
    }, true);
}

function flash(element) {
    element.classList.remove("live-flash");
    void element.offsetWidth; // or it would not begin anew
    element.classList.add("live-flash");
}

// Playing from the end begins at the start.
function replaying(figure) {
    const pressed = event => {
        const play = event.target.closest?.(".live-play"), [first, back] = play?.querySelectorAll("button") ?? [];
        if (play && event.target.closest("button") === first && first.querySelector(".fa-play") && atItsEnd(figure, play)) back.click();
    };
    return listen(figure, "click", pressed, true);
}

function atItsEnd(figure, play) {
    const name = play.querySelector(".widget-label")?.textContent.replace(/^play /, "");
    const sliders = [...figure.querySelectorAll(".live-controls .widget-slider")];
    const mine = sliders.find(slider => slider.querySelector(".widget-label")?.textContent.split(" (")[0] === name);
    const handle = mine?.querySelector(".noUi-handle");
    return handle && Number(handle.ariaValueNow) >= Number(handle.ariaValueMax);
}

// The first figure of a page that has a player plays once, when it is seen whole; not for who wants nothing to move, nor
// once somebody has touched it.
function opening(figure, model) {
    const first = () => pageOf(figure).querySelector(".live-play")?.closest(".live-figure") === figure;
    if (still() || !first() || shared.opened.has(pageOf(figure))) return () => {};
    let asked = false;
    const seen = new IntersectionObserver(([entry]) => {
        if (!entry.isIntersecting || asked) return;
        asked = true;
        model.send({ kind: "there?" });
    }, { threshold: 0.9 });
    const answered = said => {
        if (!asked || said.kind !== "there" || !first() || shared.opened.has(pageOf(figure))) return;
        leave();
        shared.opened.add(pageOf(figure));
        const button = figure.querySelector(".live-play button");
        if (!button.disabled) button.click();
    };
    const leave = () => { seen.disconnect(); model.off("msg:custom", answered); stops.forEach(stop => stop()); };
    const stops = ["pointerdown", "keydown"].map(kind => listen(figure, kind, () => {
        shared.opened.add(pageOf(figure));
        leave();
    }));
    model.on("msg:custom", answered);
    seen.observe(figure.querySelector(".live-picture"));
    return leave;
}

export default { render };
