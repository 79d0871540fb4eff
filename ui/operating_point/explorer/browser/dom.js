// @ts-check
// Elements of the page, and what the browser keeps for as long as its tab is open.

const REMEMBERED = "multiloss explorer"
const SVG = "http://www.w3.org/2000/svg"

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Partial<HTMLElementTagNameMap[T]>} [attributes]
 * @param {...(Node | string)} children
 */
export function element(tag, attributes = {}, ...children) {
  const made = Object.assign(document.createElement(tag), attributes)
  made.append(...children)
  return made
}

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number>} attributes
 */
export function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  return made
}

/**
 * The element that a selector finds, which is there: the page is the component's own.
 *
 * @template {Element} [E=HTMLElement]
 * @param {Element} root
 * @param {string} selector
 */
export function part(root, selector) {
  return /** @type {E} */ (root.querySelector(selector))
}

/** All elements that a selector finds. @param {Element} root @param {string} selector @returns {HTMLElement[]} */
export function parts(root, selector) {
  return [...root.querySelectorAll(selector)].filter(found => found instanceof HTMLElement)
}

/** What the user set in the charts: hidden methods, and the camera of each surface. */
export const memory = {
  /** @returns {Record<string, any>} */
  read: () => JSON.parse(sessionStorage.getItem(REMEMBERED) ?? "{}"),
  /** @param {Record<string, any>} settings */
  write: settings => sessionStorage.setItem(REMEMBERED, JSON.stringify({ ...memory.read(), ...settings })),
}
