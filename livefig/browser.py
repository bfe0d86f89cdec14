"""What the page itself does for a live figure: its style, and what a kernel cannot see or say.

ipywidgets has no widget for either; HTML widgets carry them, and what they say runs as soon as it is in the page.
Where a front end forbids that, figures still move: they are drawn at one pixel a dot, and the stored picture stays.
"""

import html

STYLE = """
/* What changes in a figure is laid out and painted by itself, not with the thousands of elements of its page. */
.live-figure {
    width: 100%; overflow: hidden; position: relative; container-type: inline-size; contain: layout paint style;
}
.live-figure .live-picture { width: 100%; height: auto; margin: 0; display: block; will-change: transform; }
.live-figure .live-ratio, .live-stepped-back { display: none; }
.live-figure :is(.noUi-handle, .live-play button):focus-visible { outline: 3px solid #0072B2; outline-offset: 1px; }

/* Controls: label, track, value, in one column or two. */
.live-figure .live-controls {
    display: grid; align-items: center; gap: 2px 0.7em; margin: 2px 0; overflow: visible;
    grid-template-columns: fit-content(11em) minmax(5em, 1fr) 5.2em;
}
@container (min-width: 640px) {
    .live-figure .live-controls { grid-template-columns: repeat(2, fit-content(11em) minmax(5em, 1fr) 5.2em); }
}
.live-figure .live-controls > * { grid-column: span 3; width: auto; margin: 0; }
.live-figure .live-controls > .live-wide { grid-column: 1 / -1; }
.live-figure .live-controls > .widget-slider, .live-figure .live-controls > .widget-toggle-buttons,
.live-figure .live-controls > .widget-inline-hbox:not(.live-odds) {
    display: grid; grid-template-columns: subgrid; align-items: center; height: auto; min-height: 28px;
}
.live-figure .live-controls .widget-label {
    width: auto; height: auto; margin: 0; text-align: left; white-space: normal; line-height: 1.2;
}
.live-figure .live-controls .widget-readout { width: auto; min-width: 0; margin: 0; text-align: left; }
.live-figure .live-controls .slider-container { margin: 0 8px; }
.live-figure .live-wide .slider-container { grid-column: 2 / -2; }
.live-figure .live-wide .widget-label + div:not(.slider-container) {
    grid-column: 2 / -1; display: flex; flex-wrap: wrap; gap: 2px; margin: 0;
}
.live-figure .live-wide > input { grid-column: 2 / -1; }
.live-figure .live-wide .widget-toggle-button { width: auto; margin: 0; }
.live-figure .live-controls > .live-more { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 1.2em; }
.live-figure .live-more > * { width: auto; margin: 0; }
.live-figure .live-play { align-items: center; gap: 0.5em; }

/* Two lines for what the figure says, whether it needs them or not: nothing below it jumps. */
.live-figure .live-below { margin: 4px 0 0; padding-right: 2.4em; min-height: 2.7em; display: block; }
.live-figure .live-odds { display: block; }
.live-figure :is(.live-below, .live-odds, .live-guess) .widget-html-content { line-height: 1.35; height: auto; }
.live-figure .widget-html { height: auto; }
.live-figure .live-error { color: #B00020; font-weight: bold; }
[data-jp-theme-light="false"] .live-figure .live-error { color: #FF8A80; }

/* A kernel that runs a cell answers later: the picture is an old one until then. */
.live-figure[aria-busy="true"] .live-picture { opacity: 0.5; }
.live-figure[aria-busy="true"] .live-below::before {
    content: "Python is busy with a cell; the figure follows when it is free."; font-style: italic;
}

/* A button in the corner, beside what the figure says: the whole window for the figure. */
.live-figure .live-enlarge { position: absolute; right: 2px; bottom: 2px; margin: 0; }
.live-enlarge button {
    line-height: 0; padding: 6px; cursor: pointer; border: 1px solid transparent;
    border-radius: 3px; background: none; color: var(--jp-ui-font-color2, #666);
}
.live-enlarge button:is(:hover, :focus-visible) { border-color: currentcolor; }
.live-figure:popover-open {
    position: fixed; inset: 0; width: 100%; height: 100%; max-height: none; margin: 0; padding: 1.5vh 2vw; border: 0;
    overflow: auto; display: flex; background: var(--jp-layout-color0, white); color: var(--jp-ui-font-color1, black);
    --jp-widgets-font-size: 18px; --jp-widgets-inline-height: 38px; --jp-ui-font-size1: 18px;
}
.live-figure:popover-open > * { flex: none; }
.live-figure:popover-open > .live-picture {
    flex: 1 1 0; min-height: 200px; max-width: none !important; object-fit: contain;
}

/* A kernel that was restarted knows nothing of the sliders: the picture stays, and says what to do. */
.live-figure .jupyter-widgets-disconnected::before { content: none; }
.live-figure.jupyter-widgets-disconnected::before {
    content: "The kernel was restarted: run this cell again for the sliders.";
    font: bold var(--jp-widgets-font-size)/1.5 sans-serif; color: var(--jp-ui-font-color1); padding: 2px 0;
}
.live-figure.jupyter-widgets-disconnected > :not(.live-picture, .live-below) { display: none; }
"""

# `ratio` has how many pixels of the screen a dot of the picture gets, in quarters; the kernel hears only of changes.
SCRIPT = """
const figure = this.closest('.live-figure');
if (figure && !figure.dataset.live) {
    figure.dataset.live = 'yes';
    const stored = figure.closest('.jp-OutputArea-child')?.previousElementSibling;
    if (stored?.querySelector('.live-stored')) {
        for (const one of [stored, stored.previousElementSibling]) one?.classList.add('live-stepped-back');
        stored.querySelector('style')?.remove();  // it looks into every output of the page, at each change of any
    }
    const ratio = () => {
        const picture = figure.querySelector('.live-picture'), field = figure.querySelector('.live-ratio input');
        if (!picture?.clientWidth || !field) return;
        const scales = ['Width', 'Height'].map(way => picture['client' + way] / picture.getAttribute(way));
        const wanted = Math.max(1, Math.ceil(4 * Math.min(...scales) * devicePixelRatio - 0.1) / 4);
        if (Number(field.value) === wanted) return;
        field.value = wanted;
        field.dispatchEvent(new Event('change', {bubbles: true}));
    };
    figure.addEventListener('load', ratio, true);
    figure.addEventListener('density', ratio);
    new ResizeObserver(ratio).observe(figure);
    const listen = () => matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', () => {
        document.querySelectorAll('.live-figure').forEach(one => one.dispatchEvent(new Event('density')));
        listen();
    }, {once: true});
    if (!window.liveDensity) listen();  // once for the page: another screen, whose dots are finer or coarser
    window.liveDensity = true;

    // Moved, and no picture for 300 ms while the kernel is busy: say so, until there is one or the kernel is free.
    let waiting = 0;
    const answered = () => {
        clearInterval(waiting);
        waiting = 0;
        figure.removeAttribute('aria-busy');
    };
    const look = () => {
        const kernel = figure.closest('.jp-NotebookPanel')?.querySelector('.jp-Notebook-ExecutionIndicator');
        kernel?.dataset.status === 'busy' ? figure.setAttribute('aria-busy', 'true') : answered();
    };
    const moved = () => { waiting ||= setInterval(look, 300); };
    new MutationObserver(moved).observe(
        figure, {subtree: true, attributes: true, attributeFilter: ['aria-valuenow']});
    figure.addEventListener('click', moved);
    figure.addEventListener('load', answered, true);
    const say = (handle, what, words) => {
        if (words && handle.getAttribute(what) !== words) handle.setAttribute(what, words);
    };
    const name = () => {
        for (const slider of figure.querySelectorAll('.widget-slider')) {
            const label = slider.querySelector('.widget-label')?.textContent;
            const handles = slider.querySelectorAll('.noUi-handle'), readout = slider.querySelector('.widget-readout');
            handles.forEach((handle, one) => {
                say(handle, 'aria-label', label + (handles.length > 1 ? [', from', ', to'][one] : ''));
                if (handles.length === 1) say(handle, 'aria-valuetext', readout?.textContent);
            });
            if (slider.classList.contains('live-stops') && readout) readout.contentEditable = 'false';
        }
        for (const play of figure.querySelectorAll('.live-play')) {
            const words = play.querySelector('.widget-label')?.textContent, runs = play.querySelector('.fa-pause');
            const names = [runs ? words?.replace('play', 'pause') : words, 'back to the start'];
            play.querySelectorAll('button').forEach((button, one) => say(button, 'aria-label', names[one]));
            if (play.dataset.named) continue;
            play.dataset.named = 'yes';  // its first button turns from play to pause and back
            new MutationObserver(name).observe(play, {subtree: true, attributes: true, attributeFilter: ['class']});
        }
        for (const group of figure.querySelectorAll('.widget-toggle-buttons')) {
            say(group, 'role', 'group');
            say(group, 'aria-label', group.querySelector('.widget-label')?.textContent);
        }
    };
    new MutationObserver(name).observe(
        figure, {subtree: true, childList: true, attributes: true, attributeFilter: ['aria-valuetext']});
    name();
}
"""


# A popover lies above all else, whatever holds the figure; Escape closes it, as it does any other.
ENLARGE = """
const figure = this.closest('.live-figure'), button = this, place = figure.parentElement;
if (figure.matches(':popover-open')) figure.hidePopover();
else {
    place.style.minHeight = figure.offsetHeight + 'px';
    figure.popover = 'auto';
    const closed = event => {
        if (event.target !== figure || event.newState !== 'closed') return;
        figure.removeEventListener('toggle', closed);
        figure.popover = null;
        place.style.minHeight = '';
        button.focus({preventScroll: true});
    };
    figure.addEventListener('toggle', closed);
    figure.showPopover();
    button.focus();
}
"""


def enlarge_html():
    """The button that gives the figure the whole window."""
    words = "Enlarge to the window (Escape: back)"
    corners = '<path d="M1 5V1h4M11 1h4v4M15 11v4h-4M5 15H1v-4" fill="none" stroke="currentColor" stroke-width="2"/>'
    drawn = f'<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">{corners}</svg>'
    return f'<button title="{words}" aria-label="{words}" onclick="{html.escape(ENLARGE)}">{drawn}</button>'


def page_html():
    """The text of the HTML widget that brings style and script into the page."""
    return f'<style onload="{html.escape(SCRIPT)}">{STYLE}</style>'


def stored_html(elsewhere=""):
    """What stands under a stored picture until the figure lives, on GitHub too: what moves where.

    Nothing is said of the widget that is not there.
    """
    style = ".jp-OutputArea-output.jupyter-widgets:not(:has(*)) { display: none; }"
    return (
        f'<style>{style}</style><div class="live-stored" style="font-size: 0.85em; opacity: 0.75">'
        "A stored picture: nothing moves here. In Jupyter, run this cell (Shift+Enter): every slider moves, at every "
        f"step.{elsewhere}</div>"
    )
