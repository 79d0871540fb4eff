// @ts-check
// Moves the operating point in the browser. Every number, word and coordinate comes from the table that Python made for
// each target; nothing is calculated here but which row of it is shown.

/** @import { Message, Row } from "./messages.d.ts" */
/** @import { View } from "./chart.js" */
/** @import { Place, Send } from "./protocol.js" */
import { memory, part, parts } from "./dom.js"
import { DrawingQueue } from "./drawing_queue.js"
import { pointsOf } from "./marks.js"
import { inWords, Panel } from "./panel.js"
import { checked, Choice, clamped, pickedThresholds, rowAt, withoutHidden } from "./protocol.js"

class Explorer {
  /** @type {Set<string>} */
  #hidden = new Set(memory.read().hidden ?? [])
  #isWaiting = false
  choice = new Choice()

  /** @param {HTMLElement} root */
  constructor(root) {
    this.charts = new DrawingQueue(
      parts(root, ".chart"),
      (chart, place) => this.pick(chart, place),
      () => this.choice.send("failed", true),
    )
    this.panel = new Panel(root, {
      move: percent => this.move(percent),
      release: () => this.release(),
      leave: () => { if (this.choice.isUnsent) this.release() },
      type: typed => this.type(typed),
      back: () => { this.move(this.choice.percent); this.release() },
      toggle: method => this.toggle(method),
    })
  }

  /** @param {Message} message */
  take(message) {
    this.message = message
    this.choice.take(message)
    this.panel.take(message, this.choice.table)
    this.panel.showKey(message.key, this.#hidden)
    this.draw()
    this.show()
  }

  get row() {
    const { row, table } = this.choice
    return withoutHidden(/** @type {Row} */ (row), table.methods, this.#hidden)
  }

  show() {
    const { choice: { percent, hand, driver }, row } = this
    this.panel.show(percent, row, Boolean(hand), driver)
    this.charts.describe(row.words)
  }

  draw() {
    if (this.message) this.charts.draw(this.message, () => this.view)
  }

  /** @returns {View} */
  get view() {
    const { about, key, present } = /** @type {Message} */ (this.message)
    const points = pointsOf(key, this.choice.table.methods)
    return { about, hidden: this.#hidden, row: this.row, points, ink: key.ink, present }
  }

  /** Show a target. Numbers never wait for the charts. @param {number} percent */
  move(percent) {
    this.choice.move(percent)
    this.show()
    if (this.#isWaiting) return
    this.#isWaiting = true
    requestAnimationFrame(() => {
      this.#isWaiting = false
      this.charts.move(this.row, false)
    })
  }

  release() {
    this.panel.say(inWords(this.choice.percent, this.row.words))
    this.charts.move(this.row, true)
    this.choice.release()
  }

  /** @param {string} typed */
  type(typed) {
    const { choice } = this
    const percent = clamped(typed, choice.percent, choice.table)
    this.panel.typed = percent
    if (!rowAt(choice.table, percent)) choice.ask(percent)
    else {
      this.move(percent)
      this.release()
    }
  }

  // A click on a curve or in threshold space: its thresholds become the point.
  /** @param {string} chart @param {Place} place */
  pick(chart, place) {
    const picked = this.message && pickedThresholds(chart, place, this.message.space)
    if (picked) this.choice.pick(picked)
  }

  /** Show a method, or hide it, in every chart. @param {string} method */
  toggle(method) {
    if (!this.#hidden.delete(method)) this.#hidden.add(method)
    memory.write({ hidden: [...this.#hidden] })
    if (this.message) this.panel.showKey(this.message.key, this.#hidden)
    this.draw()
    this.panel.focus(method)
  }

  leave() {
    this.choice.stop()
    this.charts.leave()
  }
}

/**
 * What tests and developers may look at, as `multiloss` of the element `.explorer`: fulfilled once everything is drawn,
 * and where the user looks at a surface ("tp", "fp") from.
 *
 * @typedef {{ drawn: Promise<void>, camera: (chart: string) => any }} Inspection
 * @typedef {HTMLElement & { explorer?: Explorer, multiloss?: Inspection }} Root
 */

/** @param {Explorer} explorer @returns {Inspection} */
function inspectionOf({ charts }) {
  return {
    get drawn() { return charts.drawn },
    camera: name => charts.charts.find(chart => chart.name === name)?.figure.camera,
  }
}

// What Streamlit calls whenever Python sent something, and what it gives.
/** @param {{ data: unknown, parentElement: HTMLElement, setStateValue: Send, setTriggerValue: Send }} component */
export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  /** @type {Root} */
  const root = part(parentElement, ".explorer")
  const explorer = root.explorer ??= new Explorer(root)
  root.multiloss ??= inspectionOf(explorer)
  explorer.choice.send = (event, value) => (event === "picked" ? setTriggerValue : setStateValue)(event, value)
  explorer.take(checked(data))
  return () => explorer.leave()
}
