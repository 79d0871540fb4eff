// @ts-check
// Bars as sliders: they follow pointer and keys at once, and the server's responses.

/** @import { BarsMessage } from "./messages.js" */
import { Moves, afterKey, asProbability, checkedMessage } from "./rules.js"

const TIMEOUT_MILLISECONDS = 3000

class Bars {
  /** @type {BarsMessage | null} */
  #message = null
  /** @type {number[]} */
  #probabilities = []
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timeout
  #root
  #moves

  /** @param {HTMLElement} root @param {(moved: [number, number[]]) => void} send */
  constructor(root, send) {
    this.#root = root
    this.#moves = new Moves(send)
  }

  /** @param {BarsMessage} message */
  take(message) {
    const others = message.about !== this.#message?.about
      || message.probabilities.length !== this.#probabilities.length
    this.#message = message
    clearTimeout(this.#timeout)
    this.#moves.acknowledge(message.acknowledged)
    if (others || this.#moves.settled) this.#probabilities = [...message.probabilities]
    this.#draw()
  }

  #draw() {
    const message = this.#message
    if (!message) return
    this.#root.style.setProperty("--strong", message.strong)
    this.#root.style.setProperty("--pale", message.pale)
    for (const name of ["strong", "pale"]) {
      const sign = /** @type {HTMLElement} */ (this.#root.querySelector(`.legend .${name}`))
      sign.style.setProperty("--colour", `var(--${name})`)
    }
    const title = /** @type {HTMLElement} */ (this.#root.querySelector(".title"))
    title.textContent = message.title
    const place = /** @type {HTMLElement} */ (this.#root.querySelector(".bars"))
    while (place.children.length > this.#probabilities.length) place.lastElementChild?.remove()
    while (place.children.length < this.#probabilities.length) place.append(this.#newBar(place.children.length))
    Array.from(place.children, (bar, i) => this.#drawBar(/** @type {HTMLElement} */ (bar), i))
  }

  /** @param {HTMLElement} bar @param {number} i */
  #drawBar(bar, i) {
    const value = this.#probabilities[i], flagged = this.#message?.flagged[i]
    bar.style.setProperty("--p", String(value))
    bar.style.setProperty("--colour", flagged ? "var(--strong)" : "var(--pale)")
    bar.setAttribute("aria-valuenow", value.toFixed(2))
    bar.setAttribute("aria-valuetext", `${value.toFixed(2)}, ${flagged ? "flagged" : "not flagged"}`)
    const words = /** @type {HTMLElement} */ (bar.querySelector(".value"))
    words.textContent = value.toFixed(2)
  }

  /** @param {number} i */
  #newBar(i) {
    const bar = document.createElement("div")
    bar.className = "bar"
    bar.tabIndex = 0
    const meaning = { role: "slider", "aria-valuemin": "0", "aria-valuemax": "1", "aria-orientation": "vertical" }
    for (const [name, value] of Object.entries(meaning)) bar.setAttribute(name, value)
    bar.setAttribute("aria-label", `Probability of item ${i + 1}`)
    const track = document.createElement("div"), name = document.createElement("div")
    track.className = "track"
    for (const part of ["fill", "value"]) {
      const element = document.createElement("div")
      element.className = part
      track.append(element)
    }
    name.className = "name"
    name.textContent = String(i + 1)
    bar.append(track, name)
    this.#listen(bar, track, i)
    return bar
  }

  /** @param {HTMLElement} bar @param {HTMLElement} track @param {number} i */
  #listen(bar, track, i) {
    /** @param {PointerEvent} event */
    const toPointer = event => {
      const { top, height } = track.getBoundingClientRect()
      this.#set(i, asProbability(1 - (event.clientY - top) / height))
    }
    bar.onpointerdown = event => {
      if (event.button !== 0) return
      bar.setPointerCapture(event.pointerId)
      bar.focus()
      toPointer(event)
    }
    bar.onpointermove = event => {
      if (bar.hasPointerCapture(event.pointerId)) toPointer(event)
    }
    bar.onkeydown = event => {
      const value = afterKey(event.key, this.#probabilities[i])
      if (value === null || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      this.#set(i, value)
    }
  }

  /** @param {number} i @param {number} value */
  #set(i, value) {
    if (value === this.#probabilities[i]) return
    this.#probabilities = this.#probabilities.with(i, value)
    this.#draw()
    this.#moves.add(this.#probabilities)
    clearTimeout(this.#timeout)
    this.#timeout = setTimeout(() => this.#moves.skipResponse(), TIMEOUT_MILLISECONDS)
  }
}

/** @type {WeakMap<HTMLElement, Bars>} */
const shown = new WeakMap()

// Streamlit calls this at each message from Python.
/** @typedef {(name: "moved", moved: [number, number[]]) => void} SetState */
/** @param {{ data: BarsMessage, parentElement: HTMLElement, setStateValue: SetState }} component */
export default function ({ data, parentElement, setStateValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".probability-bars"))
  let bars = shown.get(root)
  if (!bars) {
    bars = new Bars(root, moved => setStateValue("moved", moved))
    shown.set(root, bars)
  }
  bars.take(checkedMessage(data))
}
