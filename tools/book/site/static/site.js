/* The book's figures without a kernel, its questions, the words' meanings. No library, no request to anybody.

   A live figure is a film: pictures and captions of the places of its controls; the first picture is whole, the others
   are laid over it. It is loaded, by a script element (which works for files too), when a reader first touches the
   controls. Where the reader asks for all controls, Python in a worker of the page draws every other setting. */
"use strict";

(() => {
  if (location.protocol.startsWith("http")) document.documentElement.classList.add("served");

  const HOME = new URL("../", document.currentScript.src).href;
  const waiting = {}; // name of a film -> what to do when it is there

  window.dpbookFilm = (name, film) => waiting[name](film);

  const load = figure => figure.film ??= new Promise((done, fail) => {
    waiting[figure.dataset.name] = done;
    const script = document.createElement("script");
    script.src = figure.dataset.film;
    script.onerror = () => { delete figure.film; fail(new Error(`${script.src} cannot be loaded`)); };
    document.head.append(script);
  });

  /* A number as people write it, 1e3 or 1,000; NaN for what is none. */
  const numberOf = said => {
    if (/^\s*(inf|∞)\s*$/.test(said)) return Infinity;
    return said.trim() ? Number(said.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "")) : NaN;
  };
  /* How far apart two numbers are: by their ratio where they have one. To infinity the largest is the nearest. */
  const far = (one, other) => {
    [one, other] = [one, other].map(number => Math.min(number, Number.MAX_VALUE));
    return one > 0 && other > 0 ? Math.abs(Math.log(one) - Math.log(other)) : Math.abs(one - other);
  };

  /* The number of the first thing that is least apart; -1 where nothing says how far. */
  const nearestOf = (things, apart) => {
    const all = things.map(apart);
    return all.indexOf(Math.min(...all.filter(Number.isFinite)));
  };

  /* One control: where it stands, and how to put it somewhere. */
  const control = box => {
    const kind = box.classList[1];
    const ranges = [...box.querySelectorAll("input[type=range]")];
    const say = range => {
      const word = JSON.parse(range.dataset.words)[range.value];
      range.setAttribute("aria-valuetext", word);
      range.nextElementSibling.value = word;
    };
    const label = box.querySelector("label, span, button").textContent.trim();
    const made = { box, label, name: box.dataset.name, values: JSON.parse(box.dataset.values) };
    let words = ranges.length ? JSON.parse(ranges[0].dataset.words)
                              : [...box.querySelectorAll(".choices label")].map(one => one.textContent.trim());
    const few = words;
    /* From now on a scale has all its places, and a button as many draws; the others had all. Where it stood it stays. */
    made.widen = reel => {
      made.values = reel.values;
      if (kind === "press") box.querySelector("button").dataset.count = reel.words.length;
      if (kind !== "range") return;
      const here = words[ranges[0].value];
      words = reel.words;
      ranges[0].dataset.words = JSON.stringify(words);
      ranges[0].max = words.length - 1;
      made.set(words.indexOf(here));
    };
    /* The place among all of one of the film's. */
    made.among = place => kind === "range" ? words.indexOf(few[place]) : place;
    /* The place that is said so, or whose number is nearest; -1 for what the control cannot be (`must` says what it can). */
    made.nearest = said => {
      if (kind === "switch") return ["off", "on"].indexOf(said);
      if (kind === "span") {
        const asked = said.split(said.includes(" to ") ? " to " : ",").map(numberOf);
        if (asked.length !== 2 || asked[0] > asked[1]) return -1;
        return nearestOf(JSON.parse(box.dataset.pairs), pair => far(numberOf(few[pair[0]]), asked[0]) + far(numberOf(few[pair[1]]), asked[1]));
      }
      if (words.includes(said)) return words.indexOf(said);
      const apart = value => value === null ? NaN : far(value, numberOf(said));
      return kind === "choice" ? made.values.findIndex(value => apart(value) === 0) : nearestOf(made.values, apart);
    };
    const must = { switch: "on or off", choice: `one of ${words.join(", ")}`, span: "two numbers, the lower first" };
    made.must = must[kind] ?? "a number";
    if (kind === "range") return Object.assign(made, {
      get: () => Number(ranges[0].value),
      set: place => { ranges[0].value = place; say(ranges[0]); },
      word: () => ranges[0].nextElementSibling.value,
    });
    if (kind === "span") {
      const pairs = JSON.parse(box.dataset.pairs);
      return Object.assign(made, {
        get: () => {
          let ends = ranges.map(range => Number(range.value));
          if (ends[0] > ends[1]) { // the handle that was moved pushes the other
            const moved = document.activeElement === ranges[0] ? ends[0] : ends[1];
            ends = [moved, moved];
            ranges.forEach(range => { range.value = moved; });
          }
          ranges.forEach(say);
          return pairs.findIndex(pair => pair[0] === ends[0] && pair[1] === ends[1]);
        },
        set: place => ranges.forEach((range, end) => { range.value = pairs[place][end]; say(range); }),
        word: () => ranges.map(range => range.nextElementSibling.value).join(" to "),
      });
    }
    if (kind === "switch") {
      const tick = box.querySelector("input");
      return Object.assign(made, {
        get: () => Number(tick.checked), set: place => { tick.checked = Boolean(place); },
        word: () => tick.checked ? "on" : "off",
      });
    }
    if (kind === "press") {
      const button = box.querySelector("button");
      let place = 0;
      button.addEventListener("click", () => {
        place = (place + 1) % Number(button.dataset.count);
        box.dispatchEvent(new Event("input", { bubbles: true }));
      });
      return Object.assign(made, { get: () => place, set: other => { place = other; }, word: () => "the first draw" });
    }
    const radios = [...box.querySelectorAll("input[type=radio]")];
    return Object.assign(made, {
      get: () => radios.findIndex(radio => radio.checked), set: place => { radios[place].checked = true; },
      word: () => radios.find(radio => radio.checked).parentElement.textContent.trim(),
    });
  };

  const bring = figure => {
    const panel = figure.querySelector(".controls");
    const controls = [...panel.querySelectorAll(".control")].map(control);
    const pair = JSON.parse(panel.dataset.pair);
    const [image, over] = figure.querySelectorAll("img"), caption = figure.querySelector(".caption");
    const note = document.createElement("p");
    note.className = "back";
    note.setAttribute("role", "status");
    figure.querySelector(".moves").before(note);
    let start = controls.map(one => one.get());
    const places = () => controls.map(one => one.get());
    let drawn = null; // what draws every setting, once the reader has asked for it
    const odds = () => {
      const line = panel.querySelector(".odds");
      if (!line) return;
      const value = name => {
        const one = controls.find(each => each.name === name);
        return one ? one.values[one.get()] : 0;
      };
      const epsilon = value("epsilon"), delta = value("delta"), none = epsilon >= Number.MAX_VALUE || delta >= 1;
      const wrong = (1 - delta) * Math.exp(-epsilon) / (1 + Math.exp(-epsilon)), most = none ? 1 : 1 - Math.max(wrong, 1e-11);
      const gap = 100 * Math.min(most - 0.5, 1 - most);  // more decimals where it would look like even odds or certainty
      const decimals = gap > 0 ? Math.min(Math.max(1 - Math.floor(Math.log10(gap)), 1), 6) : 0;
      const percent = Number((100 * most).toFixed(decimals));
      const sure = percent < 100 || none ? `ends at most ${percent}% sure` : "may end over 99.999999% sure";
      const bar = element("span", "", { className: "odds-bar", ariaHidden: "true" }), full = element("span");
      full.style.width = `${2 * (percent - 50)}%`;
      bar.append(full);
      line.replaceChildren(`someone who starts at 50 : 50 ${sure} `, bar);
    };

    const show = (film, wanted) => {
      if (drawn) {
        controls.forEach((one, number) => one.set(one.among(wanted[number])));
        return drawn();
      }
      const [picture, words] = film.shots[wanted.join()];
      controls.forEach((one, number) => one.set(wanted[number]));
      const file = number => `data:image/webp;base64,${film.pictures[number]}`;
      if (!image.src.startsWith("data:image/webp")) image.src = file(0);
      over.hidden = picture === 0;
      if (picture) over.src = file(picture); else over.removeAttribute("src");
      caption.textContent = film.captions[words];
      odds();
      address(figure, controls, start);
    };

    /* What a link or an address asks for: names of controls and words or numbers. The nearest picture that there is. */
    figure.move = async asked => {
      const wanted = new Map(controls.flatMap((one, number) => one.name in asked ? [[number, one.nearest(asked[one.name])]] : []));
      const unknown = controls.find((one, number) => wanted.get(number) === -1);
      if (unknown) {
        note.textContent = `${unknown.label} must be ${unknown.must}, got '${asked[unknown.name]}'.`;
        return;
      }
      if (drawn && !panel.querySelector("input:disabled, button:disabled")) {
        wanted.forEach((place, number) => controls[number].set(place));
        return drawn();
      }
      const film = await load(figure).catch(error => { note.textContent = error.message; });
      if (!film) return;
      if (panel.querySelector("input:disabled, button:disabled")) {
        note.textContent = "First the guess, or Skip: the controls wait for it.";
        return;
      }
      const now = places();
      const cost = shot => shot.reduce((sum, place, number) =>
        sum + (wanted.has(number) ? 10 * Math.abs(place - wanted.get(number)) : Number(place !== now[number])), 0);
      const shots = Object.keys(film.shots).map(key => key.split(",").map(Number));
      show(film, shots.reduce((best, shot) => cost(shot) < cost(best) ? shot : best));
      note.textContent = "";
    };
    figure.names = controls.map(one => one.name);

    /* Move one control: the others stay if there is a picture; else all but its partner go back to their start. */
    const move = async moved => {
      delete figure.asked;
      odds();
      if (drawn) return drawn();
      const wanted = places();
      const film = await load(figure).catch(error => { note.textContent = error.message; });
      if (!film || places().join() !== wanted.join()) return; // a later move is under way
      note.textContent = "";
      if (wanted.join() in film.shots) return show(film, wanted);
      const partner = pair.includes(controls[moved].name) ? pair : [];
      const stay = number => number === moved || partner.includes(controls[number].name);
      const nearer = [stay, number => number === moved]
        .map(keeps => wanted.map((place, number) => keeps(number) ? place : start[number]))
        .find(candidate => candidate.join() in film.shots);
      const back = controls.filter((_, number) => nearer[number] !== wanted[number]);
      show(film, nearer);
      note.textContent = `Here ${back.map(one => `${one.label} went back to ${one.word()}`).join(", ")}; in Lab it stays.`;
    };

    /* All controls: `ask(places, pixels)` promises picture and caption of a setting; the newest is asked for first. */
    figure.draw = (reels, ask) => {
      reels.forEach(reel => controls.find(one => one.name === reel.name)?.widen(reel));
      start = controls.map(one => reels.find(reel => reel.name === one.name).start);
      const wanted = () => reels.map(reel => controls.find(one => one.name === reel.name)?.get() ?? reel.start);
      let busy = false, sharp = 0; // pixels for each of the figure's, as in its film
      const sharpness = async () => {
        const first = new Image();
        first.src = `data:image/webp;base64,${(await load(figure)).pictures[0]}`;
        await first.decode();
        return Number((first.naturalWidth / image.getAttribute("width")).toFixed(2));
      };
      drawn = async () => {
        odds();
        address(figure, controls, start);
        if (busy) return;
        busy = true;
        let asked;
        try {
          sharp ||= await sharpness();
          do {
            asked = wanted();
            const { picture, said } = await ask(asked, sharp);
            const before = image.src;
            image.src = URL.createObjectURL(picture);
            await image.decode().catch(() => {});
            if (before.startsWith("blob:")) URL.revokeObjectURL(before);
            over.hidden = true;
            caption.textContent = said;
            note.textContent = "";
          } while (wanted().join() !== asked.join());
        } catch (error) {
          note.textContent = `This setting cannot be drawn: ${error.message}`;
        }
        busy = false;
      };
    };

    const wake = () => { load(figure).catch(() => {}); };
    for (const event of ["pointerenter", "focusin", "touchstart"]) panel.addEventListener(event, wake, { once: true, passive: true });
    controls.forEach((one, number) => one.box.addEventListener("input", () => move(number)));
    controls.forEach((one, number) => one.set(start[number])); // a browser may remember where they stood
    odds();
    panel.hidden = false;

    if (panel.dataset.play) player(figure, panel, controls.find(one => one.name === panel.dataset.play));

    questions(figure, panel, controls, async number => {
      const film = await load(figure).catch(error => { note.textContent = error.message; });
      if (!film) return null;
      const asked = film.asked[number];
      show(film, asked.at);
      return asked;
    });
  };

  /* A button that takes one control through its places; the first of a page is pressed once, when its figure is seen:
     never where nothing should move by itself, or where what is loaded should be little. */
  const PACE = 700; // milliseconds a place
  const player = (figure, panel, one) => {
    const range = one.box.querySelector("input"), button = element("button", `\u25b6 play ${one.label}`, { type: "button" });
    let timer = 0;
    const stop = () => { clearInterval(timer); timer = 0; button.textContent = `\u25b6 play ${one.label}`; };
    const step = () => {
      if (Number(range.value) >= Number(range.max)) return stop();
      range.value = Number(range.value) + Math.max(1, Math.round(range.max / 12));
      range.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const play = async () => {
      if (!await load(figure).catch(() => null) || range.disabled) return;
      if (Number(range.value) >= Number(range.max)) {
        range.value = 0;
        range.dispatchEvent(new Event("input", { bubbles: true }));
      }
      button.textContent = `\u275a\u275a pause ${one.label}`;
      timer = setInterval(step, PACE);
    };
    button.addEventListener("click", () => timer ? stop() : play());
    const box = element("div", "", { className: "play" });
    box.append(button);
    panel.querySelector(".odds") ? panel.querySelector(".odds").before(box) : panel.append(box);
    const first = document.querySelector("figure.live [data-play]") === panel;
    if (!first || location.hash.startsWith("#figure-") || navigator.connection?.saveData || still()) return;
    const seen = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      seen.disconnect();
      if (!timer) play();
    }, { threshold: 0.9 });
    seen.observe(figure.querySelector("img"));
    for (const event of ["pointerdown", "keydown"]) figure.addEventListener(event, () => seen.disconnect(), { once: true });
  };
  const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  /* All controls of all figures: one worker a page, which ends with it. It starts by itself where it was used before. */
  const USED = "dpbook-all-controls";
  const everything = () => {
    const figures = [...document.querySelectorAll("figure.live[data-film]")];
    const page = figures[0]?.dataset.name.split("/")[0];
    if (!page || !location.protocol.startsWith("http") || !document.querySelector('a[href^="lite/"]')) return;
    const lines = figures.map(figure => {
      const line = element("p", "", { className: "all-controls" });
      line.setAttribute("role", "status");
      const button = element("button", "All controls", { type: "button", title: "Python in this page draws every setting" });
      button.addEventListener("click", () => begin());
      line.append(button);
      figure.querySelector(".moves").after(line);
      return line;
    });
    const tell = words => lines.forEach((line, number) => {
      if (!figures[number].classList.contains("drawn")) line.textContent = words;
    });
    let worker = null;
    const begin = () => {
      if (worker) return;
      try { localStorage.setItem(USED, "yes"); } catch { /* not kept */ }
      const asked = new Map(); // number -> what to do with the answer
      let last = 0, ready = false;
      const fail = reason => {
        worker.terminate();
        try { localStorage.removeItem(USED); } catch { /* not kept */ }
        tell(`Python did not start (${reason}). The film stays.`);
      };
      tell("starting Python");
      worker = new Worker(`${HOME}_static/live.js`);
      worker.onerror = event => { if (!ready) fail(event.message || "the worker cannot be loaded"); };
      worker.onmessage = ({ data }) => {
        if (data.loading) {
          const { done, all } = data.loading, mega = bytes => Math.round(bytes / 1e6);
          tell(done < all ? `loading Python, ${mega(done)} of ${mega(all)} MB` : "starting Python");
        } else if (data.running) tell(`running this page: cell ${data.running} of ${data.all}`);
        else if (data.drawn !== undefined) {
          const place = figures.findIndex(figure => Number(figure.dataset.name.split("/")[1]) === data.drawn);
          if (place < 0) return;
          figures[place].draw(data.reels, (places, ratio) => new Promise((done, failed) => {
            asked.set(++last, { done, failed });
            worker.postMessage({ figure: data.drawn, places, ratio, number: last });
          }));
          lines[place].textContent = "All controls move together now, at every step.";
          figures[place].classList.add("drawn");
          if (figures[place].asked) figures[place].move(figures[place].asked);
        } else if (data.ready) {
          ready = true;
          lines.forEach((line, number) => figures[number].classList.contains("drawn") || line.remove());
        } else if (data.number) {
          const { done, failed } = asked.get(data.number);
          asked.delete(data.number);
          data.failed ? failed(new Error(data.failed)) : done({ picture: data.picture, said: data.caption });
        } else if (data.failed) fail(data.failed);
      };
      worker.postMessage({ page, home: HOME });
    };
    addEventListener("pagehide", () => worker?.terminate());
    let before = null;
    try { before = localStorage.getItem(USED); } catch { /* nothing is kept */ }
    if (before && !navigator.connection?.saveData) (window.requestIdleCallback ?? setTimeout)(begin);
  };

  /* The address says where the controls of the figure that was moved last stand: it can be handed on. */
  const address = (figure, controls, start) => {
    const moved = controls.filter((one, number) => one.get() !== start[number] && one.box.classList[1] !== "press");
    const asked = new URLSearchParams(moved.map(one => [one.name, one.word()]));
    history.replaceState(history.state, "", moved.length ? `#${figure.id}:${asked}` : location.pathname + location.search);
  };
  const fromAddress = () => {
    const [, id, asked] = location.hash.match(/^#(figure-\d+):(.+)$/) ?? [];
    const figure = id && document.getElementById(id);
    if (!figure?.move) return;
    figure.scrollIntoView({ block: "center" });
    figure.asked = Object.fromEntries(new URLSearchParams(asked)); // all controls can be where a film cannot
    figure.move(figure.asked);
  };

  /* A link in the text that moves the nearest figure above it with these controls, else the next below. */
  const moving = () => document.addEventListener("click", event => {
    const link = event.target.closest?.('a[href^="#move:"]');
    if (!link) return;
    event.preventDefault();
    const asked = Object.fromEntries(new URLSearchParams(link.getAttribute("href").slice("#move:".length)));
    const figures = [...document.querySelectorAll("figure.live")].filter(one => Object.keys(asked).every(name => one.names?.includes(name)));
    const above = figures.filter(one => link.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING);
    const figure = above.at(-1) ?? figures[0];
    if (!figure) return;
    figure.scrollIntoView({ block: "nearest", behavior: still() ? "auto" : "smooth" });
    figure.asked = asked;
    figure.move(asked);
  });

  /* On a narrow screen a picture that is touched has all of it, on its side where that is larger. */
  const NARROW = 600;
  const enlarging = figure => figure.querySelector("img").addEventListener("click", () => {
    if (innerWidth > NARROW) return;
    const shown = element("dialog", "", { className: "enlarged", ariaLabel: "the picture, enlarged: touch it to go back" });
    figure.querySelectorAll("img:not([hidden])").forEach(image => shown.append(image.cloneNode()));
    const image = shown.querySelector("img"), tall = innerHeight > innerWidth && image.width > image.height;
    shown.classList.toggle("turned", tall);
    shown.addEventListener("click", () => shown.close());
    shown.addEventListener("close", () => shown.remove());
    document.body.append(shown);
    shown.showModal();
  });

  /* Guess first: the controls wait until each question is answered or skipped. Answers stay in this browser. */
  const SURE = [50, 70, 90, 99];
  const kept = () => { try { return Object(JSON.parse(localStorage.getItem("dpbook-guesses"))); } catch { return {}; } };
  const keep = record => {
    try { localStorage.setItem("dpbook-guesses", JSON.stringify({ ...kept(), [record.question]: record })); } catch { /* not kept */ }
  };
  const element = (tag, words = "", properties = {}) => Object.assign(document.createElement(tag), { textContent: words }, properties);
  const spoken = (number, unit = "") => Number(number.toPrecision(3)).toLocaleString("en") + unit;

  const questions = (figure, panel, controls, answer) => {
    const asked = JSON.parse(panel.dataset.asked), before = kept();
    const box = element("div", "", { className: "guesses" });
    const results = element("div", "", { ariaLive: "polite" });
    box.append(results);
    panel.before(box);
    const tell = record => {
      const words = `${record.question} You said ${record.says}, ${record.sure}% sure; the figure says ${record.truth}: ${record.right ? "right" : "wrong"}.`;
      results.append(element("p", words, { className: "guess-result" }));
    };
    asked.filter(one => one.text in before).forEach(one => tell(before[one.text]));
    const open = asked.map((one, number) => ({ ...one, number })).filter(one => !(one.text in before));
    const disable = waits => panel.querySelectorAll("input, button").forEach(input => { input.disabled = waits; });
    const next = async focus => {
      disable(open.length > 0);
      figure.querySelector(".back").textContent = "";
      if (!open.length) return focus && panel.querySelector("input, button").focus();
      const one = open.shift();
      let pressed = false;
      const done = async sure => {
        const given = sure && field.read();
        if (pressed || (sure && given === null)) return;
        pressed = true; // a second press, while the film is on its way, answers no other question
        if (sure) {
          const film = await answer(one.number);
          if (!film) { pressed = false; return; }
          const right = is_right(one, given, film.truth);
          const says = one.answers ? given : spoken(given, one.unit);
          const record = { question: one.text, guess: given, says, sure, truth: film.says, right };
          keep(record);
          tell(record);
        }
        form.remove();
        next(true);
      };
      const field = one.answers ? names(one, figure) : number(one);
      const form = element("form", "", { className: "guess-first", onsubmit: event => event.preventDefault() });
      const text = element("legend", "");
      text.append(element("b", "Guess first. "), one.text, one.tolerance ? ` (${one.tolerance})` : "");
      const set = element("fieldset");
      const buttons = element("div", "", { className: "sure" }), sures = element("span", "I am ", { hidden: true });
      SURE.forEach(sure => sures.append(element("button", `${sure}% sure`, { type: "button", onclick: () => done(sure) }), " "));
      buttons.append(sures, element("button", "Skip", { type: "button", onclick: () => done(null) }));
      field.chosen(() => { sures.hidden = false; }); // nobody is sure of what was not chosen
      set.append(text, field.box, buttons);
      form.append(set);
      box.append(form);
      if (focus) set.querySelector("input").focus();
    };
    next(false);
  };

  const is_right = (one, guess, truth) => {
    if (one.answers) return guess === truth;
    if (one.log) return truth > 0 && Math.abs(Math.log(guess / truth)) <= Math.log(2) * (1 + 1e-9);
    return Math.abs(guess - truth) <= 0.1 * (one.high - one.low) * (1 + 1e-9);
  };

  const names = (one, figure) => {
    const box = element("div", "", { className: "choices" });
    const group = `${figure.id}-guess-${one.number}`;
    one.answers.forEach(answer => {
      const label = element("label");
      label.append(element("input", "", { type: "radio", name: group, value: answer }), ` ${answer}`);
      box.append(label);
    });
    return { box, read: () => box.querySelector("input:checked")?.value ?? null, chosen: done => box.addEventListener("input", done) };
  };

  const number = one => {
    const steps = 50, box = element("div", "", { className: "control range unset" });
    const value = place => one.log ? one.low * (one.high / one.low) ** (place / steps)
                                   : one.low + (one.high - one.low) * place / steps;
    const range = element("input", "", { type: "range", min: 0, max: steps, value: steps / 2 });
    const output = element("output");
    const say = () => {
      output.value = spoken(value(range.value), one.unit);
      range.setAttribute("aria-valuetext", output.value);
    };
    range.setAttribute("aria-label", one.text);
    range.setAttribute("aria-valuetext", "not chosen yet");
    output.value = "click the line";
    box.append(range, output);
    const chosen = done => ["input", "pointerup", "keydown"].forEach(kind => range.addEventListener(kind, event => {
      if (kind === "keydown" && !/^(Arrow|Page|Home|End)/.test(event.key)) return;
      box.classList.remove("unset");
      say();
      done();
    }));
    return { box, read: () => box.classList.contains("unset") ? null : value(range.value), chosen };
  };

  /* What is wider than the page can be scrolled, by the keyboard too. */
  const scrollable = () => document.querySelectorAll(".formula, pre, .wide-table, .output.text_plain").forEach(box => {
    const wide = box.scrollWidth > box.clientWidth + 1;
    if (wide) { box.tabIndex = 0; } else { box.removeAttribute("tabindex"); }
  });

  /* The meaning of a word, when it is pointed at or reached by the keyboard; Escape puts it away. */
  const meanings = () => {
    let tip = null;
    const away = () => { tip?.remove(); tip = null; };
    document.querySelectorAll("a[data-meaning]").forEach(link => {
      const tell = () => {
        away();
        tip = element("div", link.dataset.meaning, { className: "meaning", role: "tooltip", id: "meaning" });
        tip.addEventListener("mouseleave", away);
        document.body.append(tip);
        link.setAttribute("aria-describedby", "meaning");
        const place = link.getBoundingClientRect(), width = tip.offsetWidth;
        tip.style.left = `${Math.max(8, Math.min(place.left, innerWidth - width - 8)) + scrollX}px`;
        tip.style.top = `${place.bottom + 4 + scrollY}px`;
      };
      const leave = event => { if (event.relatedTarget !== tip) away(); };
      link.addEventListener("mouseenter", tell);
      link.addEventListener("focus", tell);
      link.addEventListener("mouseleave", leave);
      link.addEventListener("blur", away);
    });
    document.addEventListener("keydown", event => { if (event.key === "Escape") away(); });
  };

  /* The zip of the site, if whoever serves the site has put it beside the pages. */
  const offered = document.querySelector("[data-zip]");
  if (offered && location.protocol !== "file:") {
    const link = element("a", "The site as a zip, to read offline", { href: offered.dataset.zip, download: "" });
    fetch(link.href, { method: "HEAD" }).then(answer => { if (answer.ok) offered.append(" · ", link); }, () => {});
  }

  document.querySelectorAll("figure.live[data-film]").forEach(bring);
  document.querySelectorAll("figure.picture").forEach(enlarging);
  everything();
  moving();
  fromAddress();
  addEventListener("hashchange", fromAddress);
  scrollable();
  addEventListener("resize", scrollable);
  meanings();
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(one => { one.open = true; }));
})();
