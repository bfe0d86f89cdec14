// Pyodide under node: `node run.mjs PYODIDE PROJECT CODE PACKAGES` runs a file of Python, which finds the project in /book.
// The code's last value, a string, is printed as the last line.
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

// Else node prints the line of Pyodide's that it came through, which is a megabyte long.
process.on("uncaughtException", (error) => { process.stderr.write(String(error.message) + "\n"); process.exit(1); });

const [pyodide, project, code, packages] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(resolve(pyodide, "pyodide.mjs")));
const env = { HOME: "/home/pyodide", JUPYTER_WIDGETS_ECHO: "0", DPBOOK_GUESSES: "/home/pyodide/guesses.jsonl" };
const seconds = () => { const used = process.cpuUsage(); return (used.user + used.system) / 1e6; };
globalThis.processorSeconds = seconds;
const python = await loadPyodide({
  indexURL: resolve(pyodide) + "/",
  env,
  stdout: (line) => process.stderr.write(line + "\n"),
});
python.FS.mkdirTree("/book");
python.FS.mount(python.FS.filesystems.NODEFS, { root: resolve(project) }, "/book");
await python.loadPackage(packages.split(",").filter(Boolean), { messageCallback: () => {} });
const said = await python.runPythonAsync(readFileSync(code, "utf8"));
process.stdout.write("\n" + said + "\n");
process.exit(0);
