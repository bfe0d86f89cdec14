// A JupyterLab extension for the live part of the site, written by hand like dpbook-pages: nothing is built.
//
// Says in words how much of Python has arrived. Each page and assignment has two buttons: *Start afresh* takes the site's
// own copy again, *Download* saves the reader's. What was changed in an older version of the book is offered once. The
// address names the notebook that is open, so that it can be loaded again and handed on.
"use strict";

(() => {
  const NAME = "dpbook-lite";
  const CHANNEL = "dpbook-lite";
  const OURS = /^(notebooks|exercises\/(releases|answers))\/\d\d_\w+\.ipynb$/;
  const STYLE = `
    .dpbook-loading { position: fixed; z-index: 10000; left: 50%; top: 6px; transform: translateX(-50%);
                      padding: 4px 14px; border-radius: 14px; background: #003a5d; color: white;
                      font: 14px system-ui, sans-serif; pointer-events: none; }`;

  let shared = {};
  const get = async name => (await Object.values(shared[name])[0].get())();
  const megabytes = bytes => Math.round(bytes / 1e6);

  /** "loading Python, 14 of 31 MB", until Python is there. */
  function watchLoading() {
    const style = document.createElement("style");
    style.textContent = STYLE;
    document.head.appendChild(style);
    const line = document.createElement("div");
    line.className = "dpbook-loading";
    line.setAttribute("role", "status");
    let said = -1;
    const listen = new BroadcastChannel(CHANNEL);
    listen.onmessage = ({ data }) => {
      if (data.failed) {
        line.textContent = `Python did not load: ${data.failed}`;
        return;
      }
      if (data.ready && data.done >= data.all) {
        line.remove();
        said = -1;
        return;
      }
      const share = Math.floor(50 * data.done / data.all);
      if (share === said) return;
      said = share;
      line.textContent = data.done < data.all
        ? `loading Python, ${megabytes(data.done)} of ${megabytes(data.all)} MB`
        : "starting Python";
      document.body.appendChild(line);
    };
  }

  /** A button in a notebook's toolbar. */
  function button(panel, ToolbarButton, rank, name, label, tooltip, onClick) {
    panel.toolbar.insertItem(rank, name, new ToolbarButton({ label, tooltip, onClick }));
  }

  /** The stores of the reader's files of other versions of the site. */
  async function olderStores(current) {
    const names = (await indexedDB.databases?.() ?? []).map(one => one.name);
    return names.filter(name => name?.startsWith("dpbook pages ") && name !== current);
  }

  /** A file in such a store, or undefined. */
  function kept(store, path) {
    return new Promise((give, fail) => {
      const opened = indexedDB.open(store);
      opened.onerror = () => fail(opened.error);
      opened.onsuccess = () => {
        const base = opened.result;
        if (!base.objectStoreNames.contains("files")) {
          base.close();
          give(undefined);
          return;
        }
        const asked = base.transaction("files").objectStore("files").get(path);
        asked.onerror = () => { base.close(); fail(asked.error); };
        asked.onsuccess = () => { base.close(); give(asked.result); };
      };
    });
  }

  /** A copy of a page that the reader changed in an older version, offered beside the new one. */
  async function offerOlder(app, panel, Notification, current) {
    const path = panel.context.path;
    for (const store of await olderStores(current)) {
      const note = `${NAME}:offered:${store}:${path}`;
      if (localStorage.getItem(note)) continue;  // all tabs see it at once
      const file = await kept(store, path);
      if (!file?.content) continue;
      localStorage.setItem(note, "yes");
      const open = async () => {
        const mine = path.replace(/\.ipynb$/, "_mine.ipynb");
        await app.serviceManager.contents.save(mine, { ...file, path: mine, name: mine.split("/").pop() });
        app.commands.execute("docmanager:open", { path: mine });
      };
      Notification.info("You changed this page in an older version of the book. Your copy is still here.", {
        autoClose: false,
        actions: [{ label: "Open my copy", callback: () => { open().catch(reason => console.error(reason)); } }],
      });
    }
  }

  async function activate(app, tracker) {
    const { ToolbarButton, Notification, showDialog, Dialog } = await get("@jupyterlab/apputils");
    const { PageConfig } = await get("@jupyterlab/coreutils");
    const current = PageConfig.getOption("contentsStorageName");
    watchLoading();

    const afresh = async panel => {
      const sure = await showDialog({
        title: "Start afresh?",
        body: "Your changes to this page are thrown away, and the page of the site is opened again.",
        buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: "Start afresh" })],
      });
      if (!sure.button.accept) return;
      const path = panel.context.path;
      panel.context.model.dirty = false;
      panel.close();
      await app.serviceManager.contents.delete(path).catch(() => {});  // without changes there is nothing of the reader's
      app.commands.execute("docmanager:open", { path });
    };

    // Under its own name: JupyterLite's would have the folders in it.
    const download = async panel => {
      await panel.context.save();
      const link = document.createElement("a");
      const text = JSON.stringify(panel.context.model.toJSON(), null, 1);
      link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" }));
      link.download = panel.context.path.split("/").pop();
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    };

    const meet = panel => {
      if (!OURS.test(panel.context.path)) return;
      button(panel, ToolbarButton, 30, "dpbook-download", "Download", "Save this notebook on your computer",
        () => { download(panel).catch(reason => console.error(reason)); });
      button(panel, ToolbarButton, 31, "dpbook-afresh", "Start afresh", "Throw your changes to this page away",
        () => { afresh(panel).catch(reason => console.error(reason)); });
      offerOlder(app, panel, Notification, current).catch(reason => console.error(reason));
    };
    // JupyterLite takes the path out of the address once it has opened it: who loads the page again would see no notebook.
    const address = (_, panel) => {
      if (!panel) return;
      const here = new URL(location.href);
      here.searchParams.set("path", panel.context.path);
      history.replaceState(history.state, "", here);
    };
    tracker.currentChanged.connect(address);
    app.restored.then(() => setTimeout(() => address(null, tracker.currentWidget), 1000));
    tracker.forEach(meet);
    tracker.widgetAdded.connect((_, panel) => meet(panel));
  }

  async function extension() {
    const { INotebookTracker } = await get("@jupyterlab/notebook");
    const plugin = {
      id: `${NAME}:changes`,
      description: "Shows how much of Python has arrived, and keeps the reader's changes to pages.",
      autoStart: true,
      requires: [INotebookTracker],
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
