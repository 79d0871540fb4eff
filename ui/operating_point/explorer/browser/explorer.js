// @ts-check
// Moves the operating point in the browser. All numbers, texts and coordinates come from Python's table of targets; the
// browser only selects the row.

/** @import { Events, Message, Row } from "./messages.d.ts" */
/** @import { Place, Send } from "./protocol.js" */
import { Chart, memory } from "./chart.js"
import { pointsOf } from "./marks.js"
import { Panel, part, placeInWords } from "./panel.js"
import { loaded, offersWebGL } from "./plotly_adapter.js"
import { checked, Choice, clamped, pickedThresholds, rowAt, targetNear, Texts, withoutHidden } from "./protocol.js"

/** The columns of a row across and up, in each flat chart. @type {Record<string, ("x" | "y" | "fp" | "tp")[]>} */
const COLUMNS = { space: ["x", "y"], plane: ["fp", "tp"] }
/** Events that may repeat with the same value. @type {(keyof Events)[]} */
const TRIGGERS = ["picked", "lost"]
const NO_WEBGL = "this browser cannot draw in 3D (WebGL is off). Threshold space shows the same counts."

/** Kept while the tab is open, like Python's names of them. */
const texts = new Texts()

export class Explorer {
  /** Hidden methods. @type {Set<string>} */
  #hidden = new Set(memory.read().hidden ?? [])
  #isWaiting = false
  /** Whether all methods are drawn, not only the chosen one and those beside it. */
  hasOthers = Boolean(memory.read().others)
  /** The message to draw; none after the explorer was removed. @type {Message | undefined} */
  #message
  choice = new Choice(texts)
  /** Fulfilled when all requested charts are drawn. */
  drawn = Promise.resolve()

  /** @param {HTMLElement} root */
  constructor(root) {
    const places = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".chart"))
    this.charts = Array.from(places, place => new Chart(place, (...clicked) => this.pick(...clicked)))
    this.panel = new Panel(root, this)
    // Draw charts when they become visible: in another view, or on a wider screen.
    this.resized = new ResizeObserver(() => this.charts.some(chart => chart.isSeen && !chart.isDrawn) && this.draw())
    this.resized.observe(root)
  }

  /** The methods with a place in the legend: the chosen one, the last, those beside it, or all. */
  get listed() {
    const { methods } = this.choice.table
    return methods.filter((name, i) => this.hasOthers || i === methods.length - 1 || this.#message?.beside.includes(name))
  }

  /** The methods that are not drawn; the chosen one, the last, is always drawn. */
  get hidden() {
    const { listed, choice: { table: { methods } } } = this
    return new Set(methods.slice(0, -1).filter(name => !listed.includes(name) || this.#hidden.has(name)))
  }

  /** The camera of a surface ("tp", "fp"). @param {string} name */
  camera(name) {
    return this.charts.find(chart => chart.name === name)?.figure.camera
  }

  /** @param {Message} message */
  take(message) {
    this.#message = message
    this.choice.take(message)
    this.panel.take(message, this.choice.table)
    this.draw()
    this.show()
    if (!this.choice.isUnsent) this.panel.announce(this.choice.percent, this.row.words)
  }

  get row() {
    const { row, table } = this.choice
    return withoutHidden(/** @type {Row} */ (row), table.methods, this.hidden)
  }

  /** Show the numbers, and describe the point in each chart. */
  show() {
    const { choice: { percent, hand, goal }, row } = this
    this.panel.show(percent, row, Boolean(hand), goal)
    this.panel.root.setAttribute("data-shown", "")
    for (const { name, place } of this.charts) {
      const alt = this.#message?.charts[name]?.alt
      if (alt) place.setAttribute("aria-label", `${alt} ${placeInWords(name, row.words)}`)
    }
  }

  /** Show a target; numbers update before the charts. @param {number} percent */
  move(percent) {
    this.choice.move(percent)
    this.show()
    if (this.#isWaiting) return
    this.#isWaiting = true
    requestAnimationFrame(() => {
      this.#isWaiting = false
      this.#moveMarks(false)
    })
  }

  release() {
    this.panel.announce(this.choice.percent, this.row.words)
    this.#moveMarks(true)
    this.choice.release()
  }

  /** @param {boolean} released whether the slider rests */
  #moveMarks(released) {
    const { row } = this
    for (const chart of this.charts) {
      if (!chart.isDrawn) continue
      chart.move(row)
      chart.fit(row, released)
    }
  }

  /** Return to the point of the path at the previous target. */
  back() {
    const { choice } = this, home = this.#message?.home ?? choice.percent
    if (!rowAt(choice.table, home)) return choice.ask("moved", home)
    this.move(home)
    this.release()
  }

  /** @param {string} typed */
  type(typed) {
    const { choice, panel } = this
    const percent = clamped(typed, choice.percent, choice.table)
    panel.box.value = `${percent}`
    if (!rowAt(choice.table, percent)) return choice.ask("moved", percent)
    this.move(percent)
    this.release()
  }

  // A click on a curve moves the slider there; elsewhere in threshold space it sets manual thresholds.
  /** @param {Chart} chart @param {Place} place @param {number[]} at in pixels of the plot */
  pick({ name, figure, isTouched }, place, at) {
    if (!this.#message) return
    const { table } = this.choice, axes = COLUMNS[name]
    const percent = targetNear(table, this.hidden, row => axes.map(axis => row[axis]), figure, at)
    if (percent !== undefined) {
      this.move(percent)
      return this.release()
    }
    // Touch is too imprecise for thresholds.
    const picked = isTouched ? undefined : pickedThresholds(name, place, this.#message)
    if (picked) this.choice.ask("picked", picked)
  }

  /** Show or hide a method in every chart. @param {string} method */
  toggle(method) {
    if (!this.#hidden.delete(method)) this.#hidden.add(method)
    this.#keyChanged({ hidden: [...this.#hidden] })
  }

  /** Draw all methods, or only the chosen one and those beside it. */
  toggleOthers() {
    this.hasOthers = !this.hasOthers
    this.#keyChanged({ others: this.hasOthers })
  }

  /** @param {Record<string, any>} settings */
  #keyChanged(settings) {
    memory.write(settings)
    this.panel.showKey()
    this.draw()
  }

  /** Draw sequentially, so that no chart is drawn twice at once. */
  draw() {
    // The console reports a failed chart; the next ones are still drawn.
    this.drawn = this.drawn.catch(() => {}).then(() => this.#drawAll())
  }

  async #drawAll() {
    const message = this.#message
    if (!message) return
    for (const { name, place } of this.charts) {
      const view = /** @type {HTMLElement} */ (place.parentElement)
      view.hidden = !message.charts[name]
      part(view, "h2").textContent = message.charts[name]?.title ?? ""
    }
    try {
      await loaded(message.library)
    } catch {
      return this.choice.send("failed", true)
    }
    for (const chart of this.charts) {
      // Surfaces take longest: render the other charts first, and drop surfaces of superseded messages.
      if (message.charts[chart.name]?.surface) await new Promise(done => setTimeout(done))
      if (!this.#message || (message !== this.#message && message.charts[chart.name]?.surface)) return
      const { charts: { [chart.name]: still }, about, key, ink, present } = this.#message
      if (still?.surface && !offersWebGL()) {
        chart.place.classList.add("missing")
        chart.figure.element.textContent = `${still.title}: ${NO_WEBGL}`
      } else if (still && chart.isSeen && !still.layout) {
        this.choice.send("surfaces", true)
      } else if (still && chart.isSeen) {
        const points = pointsOf(key, this.choice.table.methods)
        const thin = new Set(this.choice.table.methods.slice(0, -1))
        await chart.draw(still, { about, hidden: this.hidden, thin, row: this.row, points, ink, present })
        // The slider may have moved during the drawing.
        chart.move(this.row)
      }
    }
  }

  leave() {
    this.#message = undefined
    this.choice.stop()
    this.resized.disconnect()
    for (const chart of this.charts) chart.leave()
  }
}

// Streamlit calls this at each message from Python. Tests access the explorer as `multiloss`.
/** @param {{ data: Message, parentElement: HTMLElement, setStateValue: Send, setTriggerValue: Send }} component */
export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  /** @type {HTMLElement & { multiloss?: Explorer }} */
  const root = part(parentElement, ".explorer")
  const explorer = root.multiloss ??= new Explorer(root)
  explorer.choice.send = (event, value) => (TRIGGERS.includes(event) ? setTriggerValue : setStateValue)(event, value)
  const message = texts.filled(checked(data))
  if (message) explorer.take(message)
  else explorer.choice.send("lost", true)
  return () => explorer.leave()
}
