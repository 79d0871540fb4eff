// @ts-check
// Moves the operating point in the browser. Every number, word and coordinate comes from the table that Python made for
// each target; nothing is calculated here but which row of it is shown.

/** @import { Events, Message, Row } from "./messages.d.ts" */
/** @import { Place, Send } from "./protocol.js" */
import { Chart, memory } from "./chart.js"
import { pointsOf } from "./marks.js"
import { Panel, part, placeInWords } from "./panel.js"
import { loaded, offersWebGL } from "./plotly_adapter.js"
import { checked, Choice, clamped, pickedThresholds, rowAt, targetNear, Texts, withoutHidden } from "./protocol.js"

/** The columns of a row across and up, in each flat chart. @type {Record<string, ("x" | "y" | "fp" | "tp")[]>} */
const COLUMNS = { space: ["x", "y"], plane: ["fp", "tp"] }
/** What may be said twice in the same words. @type {(keyof Events)[]} */
const TRIGGERS = ["picked", "lost"]
const NO_WEBGL = "this browser does not draw in 3D (WebGL is off). The same counts are in threshold space."

/** Kept for as long as the tab is open, like what Python knows of them. */
const texts = new Texts()

export class Explorer {
  /** Of the other methods. @type {Set<string>} */
  #hidden = new Set(memory.read().hidden ?? [])
  #isWaiting = false
  /** Whether other methods than the chosen one are drawn. */
  hasOthers = Boolean(memory.read().others)
  /** What is to be drawn; none once the explorer is left. @type {Message | undefined} */
  #message
  choice = new Choice(texts)
  /** Fulfilled once everything that was asked for is drawn. */
  drawn = Promise.resolve()

  /** @param {HTMLElement} root */
  constructor(root) {
    const places = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".chart"))
    this.charts = Array.from(places, place => new Chart(place, (...clicked) => this.pick(...clicked)))
    this.panel = new Panel(root, this)
    // What is out of sight is drawn once it is seen: in another view, or on a wider screen.
    this.resized = new ResizeObserver(() => this.charts.some(chart => chart.isSeen && !chart.isDrawn) && this.draw())
    this.resized.observe(root)
  }

  /** The methods that are not drawn; the chosen one, which is last, always is. */
  get hidden() {
    return this.hasOthers ? this.#hidden : new Set(this.choice.table.methods.slice(0, -1))
  }

  /** Where the user looks at a surface ("tp", "fp") from. @param {string} name */
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
    if (!this.choice.isUnsent) this.panel.say(this.choice.percent, this.row.words)
  }

  get row() {
    const { row, table } = this.choice
    return withoutHidden(/** @type {Row} */ (row), table.methods, this.hidden)
  }

  /** The numbers, and in words where the point is in each chart. */
  show() {
    const { choice: { percent, hand, driver }, row } = this
    this.panel.show(percent, row, Boolean(hand), driver)
    this.panel.root.setAttribute("data-shown", "")
    for (const { name, place } of this.charts) {
      const alt = this.#message?.charts[name]?.alt
      if (alt) place.setAttribute("aria-label", `${alt} ${placeInWords(name, row.words)}`)
    }
  }

  /** Show a target. Numbers never wait for the charts. @param {number} percent */
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
    this.panel.say(this.choice.percent, this.row.words)
    this.#moveMarks(true)
    this.choice.release()
  }

  /** @param {boolean} released once the slider rests */
  #moveMarks(released) {
    const { row } = this
    for (const chart of this.charts) {
      if (!chart.isDrawn) continue
      chart.move(row)
      chart.fit(row, released)
    }
  }

  /** To the best point of the path at the target that the slider had before. */
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

  // A click on a curve moves the slider there; one beside all paths in threshold space sets its thresholds by hand.
  /** @param {Chart} chart @param {Place} place @param {number[]} at in pixels of the plot */
  pick({ name, figure, isTouched }, place, at) {
    if (!this.#message) return
    const { table } = this.choice, axes = COLUMNS[name]
    const percent = targetNear(table, this.hidden, row => axes.map(axis => row[axis]), figure, at)
    if (percent !== undefined) {
      this.move(percent)
      return this.release()
    }
    // A finger is too wide to set thresholds by.
    const picked = isTouched ? undefined : pickedThresholds(name, place, this.#message)
    if (picked) this.choice.ask("picked", picked)
  }

  /** Show a method, or hide it, in every chart. @param {string} method */
  toggle(method) {
    if (!this.#hidden.delete(method)) this.#hidden.add(method)
    this.#keyChanged({ hidden: [...this.#hidden] })
  }

  /** Draw the other methods, or only the chosen one. */
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

  /** One after the other: a chart is never drawn twice at once. */
  draw() {
    // A chart that failed is reported in the console, and does not keep the next ones from being drawn.
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
      // Surfaces take longest: what is drawn before them is seen meanwhile. What comes in meanwhile has its own turn.
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
        await chart.draw(still, { about, hidden: this.hidden, row: this.row, points, ink, present })
        // The slider may have moved meanwhile.
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

// What Streamlit calls whenever Python sent something, and what it gives. Tests look at the explorer as `multiloss`.
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
