// The page's part of a live figure: what a kernel can neither see nor say. An anywidget; its element is the button in
// the corner of the figure, which gives it the whole window.

const CORNERS = '<path d="M1 5V1h4M11 1h4v4M15 11v4h-4M5 15H1v-4" fill="none" stroke="currentColor" stroke-width="2"/>';
const ICON = `<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">${CORNERS}</svg>`;
const WORDS = "Enlarge to the window (Escape: back)";
const ASK = 200, PATIENCE = 100; // milliseconds without a picture until the kernel is asked, and until it is called busy

function render({ model, el }) {
    const button = document.createElement("button");
    Object.assign(button, { title: WORDS, ariaLabel: WORDS, innerHTML: ICON });
    el.append(button);
    const leave = [];
    const seen = new ResizeObserver(() => { // an element has a size when it stands in the page
        const figure = el.closest(".live-figure");
        if (!figure || leave.length) return;
        figure.style.setProperty("--live-accent", model.get("accent"));
        stepBack(figure);
        leave.push(enlarging(figure, button), densities(figure, model), waiting(figure, model));
        leave.push(naming(figure), ownKeys(figure));
    });
    seen.observe(button);
    return () => [() => seen.disconnect(), ...leave].forEach(stop => stop());
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

// Moved, and no picture: the kernel is asked whether it is there. One that runs a cell answers later, so say so.
function waiting(figure, model) {
    let timer = 0;
    const answered = () => {
        clearTimeout(timer);
        timer = 0;
        figure.removeAttribute("aria-busy");
    };
    const ask = () => {
        model.send({ kind: "there?" });
        timer = setTimeout(() => figure.setAttribute("aria-busy", "true"), PATIENCE);
    };
    const moved = () => { timer ||= setTimeout(ask, ASK); };
    model.on("msg:custom", answered);
    const stops = [
        watch(figure, moved, { attributes: true, attributeFilter: ["aria-valuenow"] }),
        listen(figure, "click", moved),
        listen(figure, "load", answered, true),
    ];
    return () => { model.off("msg:custom", answered); answered(); stops.forEach(stop => stop()); };
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
    const label = slider.querySelector(".widget-label")?.textContent;
    const handles = slider.querySelectorAll(".noUi-handle"), readout = slider.querySelector(".widget-readout");
    handles.forEach((handle, one) => {
        say(handle, "aria-label", label + (handles.length > 1 ? [", from", ", to"][one] : ""));
        if (handles.length === 1) say(handle, "aria-valuetext", readout?.textContent);
    });
    if (slider.classList.contains("live-stops") && readout) readout.contentEditable = "false";
}

function nameGroup(group) {
    say(group, "role", "group");
    say(group, "aria-label", group.querySelector(".widget-label")?.textContent);
}

function namePlayer(play) {
    const words = play.querySelector(".widget-label")?.textContent, runs = play.querySelector(".fa-pause");
    const names = [runs ? words?.replace("play", "pause") : words, "back to the start"];
    play.querySelectorAll("button").forEach((button, one) => say(button, "aria-label", names[one]));
}

function say(element, what, words) {
    if (words && element.getAttribute(what) !== words) element.setAttribute(what, words);
}

export default { render };
