// A JupyterLab extension as JupyterLab loads it, written by hand: nothing is built and nothing fetched.
//
// On the pages of the book, notebooks/NN_name.ipynb, and on no other notebook: a page runs when it is opened (Run > "Run
// pages when they are opened" switches this off), Run All leaves the reader where he is, a thin bar shows how far either
// is, lines are no longer than can be read, the outline stands at the left if there is room, Back leads back. Who saves
// changes to a page is told once where its source is. An assignment opens as the reader's own copy, and runs what is given.
"use strict";

(() => {
  const NAME = "dpbook-pages";
  const STILL = "dpbook-still";
  const SETTLED = 2000;  // ms until the figures of a page that has run have their height
  const TURN = 2;  // cells that run at a time when a page runs itself
  const FIGURE = /^(\w+ = )?live\(/m;
  const RESTARTED = 1500;  // ms after which it is seen whether a page that was restarted also runs
  const NARROW = 700;  // px: in such a window a page needs all the room there is
  const PAGE = /(^|\/)notebooks\/\d\d_\w+\.ipynb$/;
  const RELEASE = /^(|.*\/)exercises\/releases\/(\d\d_\w+\.ipynb)$/;
  const OWN = /(^|\/)my\/\d\d_\w+\.ipynb$/;
  const STYLE = `
    .jp-SidePanel, .jp-TableOfContents { --jp-sidebar-min-width: 200px; }
    .dpbook-page .jp-Notebook .jp-Cell { max-width: 1000px; margin-left: auto; margin-right: auto; }
    .dpbook-page .jp-Notebook .jp-Cell { contain-intrinsic-size: auto 250px; }
    .dpbook-page.dpbook-still .jp-Notebook .jp-Cell { content-visibility: auto; }
    .dpbook-page .jp-Notebook .jp-RenderedMarkdown > :is(p, ul, ol, blockquote, h1, h2, h3) { max-width: 690px; }
    .dpbook-page .jp-Notebook .jp-Cell:nth-child(-n + 3) { padding-top: 2px; padding-bottom: 2px; }
    .dpbook-page .jp-Notebook .jp-Cell:first-child h1 { margin: 0 0 6px; }
    .dpbook-page .jp-Notebook .jp-Cell:first-child .jp-RenderedMarkdown > :is(p, details) { margin-bottom: 6px; }
    .dpbook-page .jp-OutputArea-output pre { word-break: normal; overflow-wrap: anywhere; }
    .dpbook-page .jp-Placeholder-content { min-width: 0; }
    @media (max-width: ${NARROW}px) {
      .dpbook-page :is(.jp-InputPrompt, .jp-OutputPrompt) { display: none; }
      .dpbook-page .jp-RenderedMarkdown { overflow-x: auto; }
      .dpbook-page .jp-RenderedMarkdown blockquote { margin-left: 0; margin-right: 0; }
    }
    .dpbook-page .jp-PlaceholderText { text-overflow: ellipsis; }
    .dpbook-progress { position: absolute; z-index: 20; left: 0; height: 3px; width: 0; background: #0072B2;
                       transition: width 0.2s; pointer-events: none; }`;

  // What JupyterLab shares with its extensions: name -> version -> how to get it.
  let shared = {};
  const get = async name => (await Object.values(shared[name])[0].get())();

  const isPage = panel => PAGE.test(panel.context.path);
  const isCode = cell => cell.model.type === "code" && cell.model.sharedModel.source.trim();

  /** Run these cells and leave the view where it is: JupyterLab would scroll to the active cell. */
  function runInPlace(actions, notebook, cells, ...others) {
    notebook.scrollToItem = () => Promise.resolve();
    try {
      return actions.runCells(notebook, cells, ...others);
    } finally {
      delete notebook.scrollToItem;
    }
  }

  /**
   * The same, a few cells at a time, up to the next figure each time: whoever moves a figure meanwhile waits for these
   * cells alone, and not for all of the page. What fails ends it.
   */
  async function runInTurns(actions, notebook, cells, ...others) {
    for (let from = 0, to = 0; from < cells.length && !notebook.isDisposed; from = to) {
      for (to = from + 1; to < Math.min(cells.length, from + TURN) && !FIGURE.test(cells[to - 1].model.sharedModel.source);) to++;
      if (!await runInPlace(actions, notebook, cells.slice(from, to), ...others)) return false;
    }
    return true;
  }

  /** A thin bar at the top of a page; returns how to set it, from 0 to 1, and at 1 it goes. */
  function progressBar(panel) {
    const bar = document.createElement("div");
    bar.className = "dpbook-progress";
    bar.setAttribute("role", "progressbar");
    bar.setAttribute("aria-label", "running the page");
    bar.style.top = `${panel.content.node.offsetTop}px`;
    panel.node.appendChild(bar);
    return share => {
      bar.style.width = `${100 * share}%`;
      bar.setAttribute("aria-valuenow", Math.round(100 * share));
      if (share >= 1) bar.remove();
    };
  }

  /**
   * Keep what a cell shows until it has something new to show; JupyterLab would throw it away when the cell is queued.
   * Returns what ends that: a cell that has run and showed nothing has nothing left.
   */
  function holdOutputs(cell) {
    const area = cell.outputArea, outputs = area.model, nothing = () => {};
    const release = () => {
      if (outputs.clear !== nothing) return;
      delete outputs.clear;
      delete outputs.add;
      delete area._clear;
      if (!outputs.isDisposed) outputs.clear();
    };
    outputs.clear = area._clear = nothing;
    outputs.add = output => { release(); return outputs.add(output); };
    return release;
  }

  /**
   * Run these cells of a page in place, under a bar that shows how far they are.
   *
   * After that, cells out of sight are neither laid out nor painted when a figure moves. Not before: they keep the
   * height that they had when they were, and a page whose cells have none yet would jump under who reads it.
   */
  async function runUnderBar(panel, actions, run, cells, ...others) {
    panel.removeClass(STILL);
    const code = cells.filter(isCode), left = new Set(code), show = progressBar(panel);
    const held = new Map(code.map(cell => [cell, holdOutputs(cell)]));
    const count = (_, { notebook, cell }) => {
      held.get(cell)?.();
      if (notebook === panel.content && left.delete(cell)) show(0.99 * (1 - left.size / code.length));
    };
    actions.executed.connect(count);
    show(0.01);
    try {
      return await run(actions, panel.content, cells, ...others);
    } finally {
      actions.executed.disconnect(count);
      for (const release of held.values()) release();
      show(1);
      setTimeout(() => panel.isDisposed || panel.addClass(STILL), SETTLED);
    }
  }

  /** Run a whole page that has just been opened. It then counts as unchanged: nobody has edited it. */
  async function runPage(panel, actions) {
    await panel.context.ready;
    await panel.revealed;
    await panel.sessionContext.ready;
    if (panel.isDisposed || !panel.sessionContext.session?.kernel) return;
    const cells = panel.content.widgets.filter(isCode);
    let edited = false;
    const edit = (_, change) => { edited ||= change.sourceChange !== undefined; };
    for (const cell of cells) cell.model.sharedModel.changed.connect(edit);
    panel.content.model.cells.changed.connect(() => { edited = true; });
    await runUnderBar(panel, actions, runInTurns, cells, panel.sessionContext);
    for (const cell of cells) if (!cell.isDisposed) cell.model.sharedModel.changed.disconnect(edit);
    if (!edited && !panel.isDisposed) panel.context.model.dirty = false;
    panel.node.dataset.dpbook = "ran";
  }

  /** Run what an assignment gives, and nothing of the reader's: answers and checks find it all there. */
  async function runGiven(panel, actions) {
    await panel.context.ready;
    await panel.revealed;
    await panel.sessionContext.ready;
    if (panel.isDisposed || !panel.sessionContext.session?.kernel) return;
    const given = panel.content.widgets.filter(cell => isCode(cell) && cell.model.getMetadata("tags")?.includes("setup"));
    await runUnderBar(panel, actions, runInPlace, given, panel.sessionContext);
    panel.node.dataset.dpbook = "ran";
  }

  /** Instead of an assignment that is handed out open the reader's own copy of it, in a folder that git does not track. */
  async function openOwn(panel, app, Notification) {
    const [, before, name] = panel.context.path.match(RELEASE);
    const { contents } = app.serviceManager, folder = `${before}my`, path = `${folder}/${name}`;
    await panel.context.ready;
    if (!await contents.get(path, { content: false }).catch(() => null)) {
      await contents.save(folder, { type: "directory", path: folder, name: "my" });
      await contents.save(path, { type: "notebook", format: "json", content: panel.context.model.toJSON() });
    }
    panel.context.model.dirty = false;
    panel.close();
    await app.commands.execute("docmanager:open", { path });
    Notification.info(`This is your own copy, ${path}. Delete it for a fresh one.`, { autoClose: 15000 });
  }

  /** Say once for each page, when changes to its cells are first saved, where its source is: the next build needs it. */
  async function nameSource(panel, Notification, state) {
    await panel.context.ready;
    const written = () => JSON.stringify([...panel.content.model.cells].map(cell => cell.sharedModel.source));
    const before = written(), path = panel.context.path, note = `${NAME}:told:${path}`;
    if (await state.fetch(note)) return;
    const look = async (_, stage) => {
      if (stage !== "completed" || written() === before) return;
      panel.context.saveState.disconnect(look);
      await state.save(note, true);
      const source = path.replace(/ipynb$/, "py");
      Notification.info(
        `Saved. To change the book itself, edit ${source}: this page is made from it, and is overwritten when it is built.`,
        { autoClose: 15000 });
    };
    panel.context.saveState.connect(look);
  }

  /** When the kernel of a page was restarted and its figures stand still: offer to run the page. */
  function offerToRun(panel, Notification, run) {
    panel.sessionContext.statusChanged.connect((_, status) => {
      if (!/restarting$/.test(status)) return;
      setTimeout(() => {
        const still = ".live-figure.jupyter-widgets-disconnected";
        if (panel.isDisposed || !panel.node.querySelector(still) || panel.node.querySelector(".dpbook-progress")) return;
        Notification.info("The kernel was restarted: the figures stand still until the page has run.", {
          autoClose: 60000,
          actions: [{ label: "Run the page", displayType: "accent", callback: run }],
        });
      }, RESTARTED);
    });
  }

  /** Do this once a notebook is seen: of many tabs that come back after a restart only the one in front runs. */
  function whenSeen(panel, tracker, act) {
    const look = () => {
      if (tracker.currentWidget !== panel || panel.isDisposed) return;
      tracker.currentChanged.disconnect(look);
      Promise.resolve(act()).catch(reason => console.error(reason));
    };
    tracker.currentChanged.connect(look);
    look();
  }

  /** A click on a page of the map opens the page here; the browser alone would load JupyterLab anew. */
  function follow(event, panel, commands) {
    const link = event.target.closest?.(".book-map a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    const folder = panel.context.path.split("/").slice(0, -1).join("/");
    const name = new URL(link.href).pathname.split("/").pop();  // JupyterLab may have put a token behind it
    commands.execute("docmanager:open", { path: `${folder}/${name}` });
  }

  /** The outline at the left, and narrow: once in a workspace, then it is the reader's. In a narrow window nothing. */
  async function arrange(app, state) {
    await app.restored;
    if (await state.fetch(`${NAME}:arranged`)) return;
    const width = window.innerWidth;
    if (width < NARROW) {
      app.shell.collapseLeft();
      return;
    }
    app.shell.activateById("table-of-contents");
    const sizes = app.shell._hsplitPanel;
    if (sizes) requestAnimationFrame(() => sizes.setRelativeSizes([210 / width, 1 - 210 / width, 0]));
    await state.save(`${NAME}:arranged`, true);
  }

  async function activate(app, tracker, settings, state, palette) {
    const { NotebookActions } = await get("@jupyterlab/notebook");
    const { Notification } = await get("@jupyterlab/apputils");
    const { PageConfig } = await get("@jupyterlab/coreutils");
    const chosen = await settings.load(`${NAME}:pages`);
    const wanted = () => chosen.composite.runOnOpen === true;

    const style = document.createElement("style");
    style.textContent = STYLE;
    document.head.appendChild(style);

    app.commands.addCommand("dpbook:run-on-open", {
      label: "Run Pages of the Book When They Are Opened",
      isToggleable: true,
      isToggled: wanted,
      execute: () => chosen.set("runOnOpen", !wanted()),
    });
    chosen.changed.connect(() => app.commands.notifyCommandChanged("dpbook:run-on-open"));
    palette?.addItem({ command: "dpbook:run-on-open", category: "Notebook Operations" });

    const pages = new Map();  // notebook -> its panel
    const runAll = NotebookActions.runAll;
    NotebookActions.runAll = (notebook, ...others) =>
      pages.has(notebook) && notebook.model
        ? runUnderBar(pages.get(notebook), NotebookActions, runInPlace, notebook.widgets, ...others)
        : runAll(notebook, ...others);

    const inBrowser = Boolean(PageConfig.getOption("contentsStorageName"));  // every copy is the reader's own there
    const meet = panel => {
      const { path } = panel.context;
      if (OWN.test(path) || inBrowser && RELEASE.test(path)) {
        whenSeen(panel, tracker, () => wanted() && runGiven(panel, NotebookActions));
      } else if (RELEASE.test(path)) whenSeen(panel, tracker, () => openOwn(panel, app, Notification));
      if (!isPage(panel)) return;
      pages.set(panel.content, panel);
      panel.disposed.connect(() => pages.delete(panel.content));
      panel.addClass("dpbook-page");
      panel.node.addEventListener("click", event => follow(event, panel, app.commands), true);
      whenSeen(panel, tracker, () => wanted() && runPage(panel, NotebookActions));
      offerToRun(panel, Notification, () => NotebookActions.runAll(panel.content, panel.sessionContext));
      nameSource(panel, Notification, state).catch(reason => console.error(reason));
    };
    tracker.forEach(meet);
    tracker.widgetAdded.connect((_, panel) => meet(panel));

    // The address follows the page that is in front; Back and Forward should lead to the page as well. JupyterLab
    // would note the page to which they have led as a new one, after which nothing is forward and Back goes nowhere.
    const push = history.pushState;
    history.pushState = function (state, title, url) {
      const same = new URL(url ?? "", location.href).pathname === location.pathname;
      (same ? history.replaceState : push).call(history, state, title, url);
    };
    window.addEventListener("popstate", () => {
      const path = decodeURIComponent(window.location.pathname).split("/tree/")[1];
      if (path && PAGE.test(path) && tracker.currentWidget?.context.path !== path) {
        app.commands.execute("docmanager:open", { path });
      }
    });

    arrange(app, state).catch(reason => console.error(reason));
  }

  async function extension() {
    const [{ INotebookTracker }, { ISettingRegistry }, { IStateDB }, { ICommandPalette }] = await Promise.all([
      get("@jupyterlab/notebook"),
      get("@jupyterlab/settingregistry"),
      get("@jupyterlab/statedb"),
      get("@jupyterlab/apputils"),
    ]);
    const plugin = {
      id: `${NAME}:pages`,
      description: "Runs the pages of the book when they are opened, and keeps the reader in place.",
      autoStart: true,
      requires: [INotebookTracker, ISettingRegistry, IStateDB],
      optional: [ICommandPalette],
      activate,
    };
    return () => ({ __esModule: true, default: plugin });
  }

  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB[NAME] = {
    init: scope => { shared = scope; },
    get: () => extension(),
  };
})();
