// "Hand in": a button in the toolbar of every assignment, and a command of the same name. It saves the notebook, sends it
// to the hub, and shows the receipt. Written for JupyterLab's module federation by hand: there is nothing to build.
(() => {
  const NAME = "dpbook-desk";
  const ASSIGNMENT = /(^|\/)assignments\/\d\d_\w+\.ipynb$/;

  let shared = {};
  const get = async name => (await Object.values(shared[name])[0].get())();

  async function activate(app, tracker, palette) {
    const [{ Dialog, showDialog, ToolbarButton }, { ServerConnection }] = await Promise.all([
      get("@jupyterlab/apputils"),
      get("@jupyterlab/services"),
    ]);
    const settings = app.serviceManager.serverSettings;

    async function handIn(panel) {
      await panel.context.save();
      let taken = false, message;
      try {
        const body = JSON.stringify({ path: panel.context.path });
        const answer = await ServerConnection.makeRequest(`${settings.baseUrl}dpbook/hand-in`, { method: "POST", body }, settings);
        ({ taken, message } = await answer.json());
      } catch (reason) {
        message = `your server does not answer (${reason}): try again in a minute`;
      }
      await showDialog({
        title: taken ? "Handed in" : "NOT handed in",
        body: message,
        buttons: [Dialog.okButton()],
      });
    }

    const isAssignment = panel => Boolean(panel) && ASSIGNMENT.test(panel.context.path);
    app.commands.addCommand("dpbook:hand-in", {
      label: "Hand In This Assignment",
      isEnabled: () => isAssignment(tracker.currentWidget),
      execute: () => handIn(tracker.currentWidget),
    });
    palette?.addItem({ command: "dpbook:hand-in", category: "Notebook Operations" });

    const meet = panel => {
      if (!isAssignment(panel)) return;
      const button = new ToolbarButton({
        label: "Hand in",
        className: "dpbook-hand-in",
        tooltip: "Save this assignment and hand it in; you can do so again until the deadline",
        onClick: () => handIn(panel),
      });
      panel.toolbar.insertItem(10, "dpbook-hand-in", button);
    };
    tracker.forEach(meet);
    tracker.widgetAdded.connect((_, panel) => meet(panel));
  }

  async function extension() {
    const [{ INotebookTracker }, { ICommandPalette }] = await Promise.all([
      get("@jupyterlab/notebook"),
      get("@jupyterlab/apputils"),
    ]);
    const plugin = {
      id: `${NAME}:hand-in`,
      description: "Hands in the assignment that is open.",
      autoStart: true,
      requires: [INotebookTracker],
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
