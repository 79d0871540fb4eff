// @ts-check
// What the page says of the files that are kept, the switch, and the way to forget them.

/** @import { KeptFile } from "./rules.js" */
import { countInWords, sizeInWords, totalSize } from "./rules.js"

/** @typedef {{ keeps: boolean, refused: boolean, files: KeptFile[], limit: number, notice: string }} Shown */

/** @param {HTMLElement} root @param {{ keep: (wanted: boolean) => void, forget: () => void }} actions */
export function connect(root, { keep, forget }) {
  const toggle = /** @type {HTMLInputElement} */ (root.querySelector("input"))
  toggle.onchange = () => keep(toggle.checked)
  const button = /** @type {HTMLButtonElement} */ (root.querySelector("button"))
  button.onclick = forget
}

/** @param {HTMLElement} root @param {Shown} shown */
export function show(root, { keeps, refused, files, limit, notice }) {
  /** @param {string} name */
  const part = name => /** @type {HTMLElement} */ (root.querySelector(`.${name}`))
  part("about").textContent = !refused ? ""
    : "This browser keeps no files for this page (a private window, or storage is switched off): upload again after a "
      + "reload."
  part("switch").hidden = refused
  part("switch").title = `For a reload, up to ${sizeInWords(limit)}; sent to this server only.`
  const toggle = /** @type {HTMLInputElement} */ (root.querySelector("input"))
  toggle.checked = keeps
  const list = part("files")
  list.hidden = refused || !files.length
  part("count").textContent = `${countInWords(files.length, "file")} kept, ${sizeInWords(totalSize(files))}`
  const names = /** @type {HTMLElement} */ (root.querySelector("ul"))
  names.replaceChildren(...files.map(({ name, size }) => {
    const item = document.createElement("li")
    item.textContent = `${name}, ${sizeInWords(size)}`
    return item
  }))
  part("notice").textContent = notice
}
