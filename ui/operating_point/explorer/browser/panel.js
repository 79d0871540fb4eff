// @ts-check
// The panel beside the charts: slider, box, numbers, explanations and the legend of the methods.

/** @import { Explorer } from "./explorer.js" */
/** @import { Intervals, Message, PointWords, Row, Table } from "./messages.d.ts" */

const METRIC = '<div class="metric"><dt></dt><dd></dd><dd class="between"></dd></div>'
const RATE = '<tr><th scope="row"></th><td><span></span><div class="between"></div></td></tr>'

/** A percentage in four digits. @param {number} percent */
function short(percent) {
  return `${Number(percent.toPrecision(4))}`
}

/** The text for screen readers of a target and its row. @param {number} percent @param {PointWords} words */
export function inWords(percent, { counts, thresholds, warning, guarantee }) {
  const numbers = [...counts, ...thresholds].map(([label, value]) => `${label} ${value}`).join(", ")
  return `${short(percent)} %. ${numbers}. ${warning ? warning.join(" ") : ""} ${guarantee ?? ""}`
}

/** Describe the position of the chosen point in a chart. @param {string} chart @param {PointWords} words */
export function placeInWords(chart, { counts, thresholds }) {
  if (chart !== "space") return `Chosen point at TP ${counts[0][1]}, FP ${counts[1][1]}.`
  return `Chosen point at ${thresholds.map(pair => pair.join(" ")).join(", ")}.`
}

/** Fill an explanation with the values on the screen. @param {string} explanation @param {PointWords} words */
export function explained(explanation, { thresholds, counts, rates }) {
  const values = Object.fromEntries([...thresholds, ...counts, ...rates])
  return explanation.replace(/{(.*?)}/g, (_, label) => values[label])
}

/** The intervals of this point. @param {Intervals | null} intervals @param {number} percent @param {boolean} byHand */
export function intervalsOf(intervals, percent, byHand) {
  return intervals?.percent === percent && intervals.by_hand === byHand ? intervals.words : {}
}

// The element of a selector, which the component's page always contains.
/** @param {Element} root @param {string} selector @returns {HTMLElement} */
export function part(root, selector) {
  return /** @type {HTMLElement} */ (root.querySelector(selector))
}

/** @param {string} tag @param {Record<string, unknown>} attributes @param {...(Node | string)} children */
function element(tag, attributes, ...children) {
  const made = Object.assign(document.createElement(tag), attributes)
  made.append(...children)
  return made
}

// Show nodes in an element, or hide it without any.
/** @param {HTMLElement} place @param {(Node | string)[]} nodes */
function put(place, ...nodes) {
  place.hidden = !nodes.length
  place.replaceChildren(...nodes)
}

/** Passes the user's input to the explorer. */
export class Panel {
  /** The beginning of the explained label. @type {string | undefined} */
  #explained
  /** Set by the first message. @type {Message} */
  #message = /** @type {any} */ (undefined)
  #isTyping = false

  /** @param {HTMLElement} root @param {Explorer} explorer */
  constructor(root, explorer) {
    this.root = root
    this.explorer = explorer
    /** By their class. @type {Record<string, HTMLElement>} */
    this.parts = {}
    for (const place of root.querySelectorAll("[class]")) this.parts[place.className] = /** @type {any} */ (place)
    const [slider, box] = root.querySelectorAll("input")
    this.slider = slider
    this.box = box
    slider.oninput = () => explorer.move(Number(slider.value))
    slider.onchange = () => explorer.release()
    // The browser fires no change event for a drag back to the start.
    slider.onpointerup = slider.onpointercancel = slider.onblur = () => explorer.choice.isUnsent && explorer.release()
    box.oninput = () => { this.#isTyping = true }
    box.onchange = () => { this.#isTyping = false; explorer.type(box.value) }
    box.onblur = () => { this.#isTyping = false; explorer.show() }
    for (const back of this.parts.goal.querySelectorAll("button")) back.onclick = () => explorer.back()
    this.parts.others.onclick = () => explorer.toggleOthers()
    for (const [group, first] of [["views", "flat"], ["surface", "tp"]]) {
      for (const button of this.parts[group].querySelectorAll("button")) {
        button.onclick = () => this.#turnTo(group, button.value)
      }
      this.#turnTo(group, first)
    }
  }

  // Narrow screens show the flat charts or the surfaces, wide ones also one surface or the other.
  /** @param {string} group @param {string} value */
  #turnTo(group, value) {
    this.root.setAttribute(`data-${group}`, value)
    for (const button of this.parts[group].querySelectorAll("button")) button.ariaPressed = `${button.value === value}`
    if (this.#message) this.explorer.draw()
  }

  /** Announce the point to screen readers. @param {number} percent @param {PointWords} words */
  announce(percent, words) {
    const { goal, subject } = this.#message, by = this.parts.derived.hidden ? "" : ` Optimised for ${goal}.`
    const text = `${inWords(percent, words)}${by} ${subject}.`
    if (this.parts.announcement.textContent !== text) this.parts.announcement.textContent = text
  }

  /** Show the parts that do not move with the slider. @param {Message} message @param {Table} table */
  take(message, { lowest, highest, step, certified }) {
    this.#message = message
    for (const input of [this.slider, this.box]) Object.assign(input, { min: lowest, max: highest, step })
    this.box.step = "any"
    this.parts.asked.textContent = message.question
    this.parts.note.textContent = message.note
    this.root.style.setProperty("--colour", message.colour)
    // The range of targets with a guaranteed precision, below the slider.
    const ends = certified?.map(percent => 100 * (percent - lowest) / (highest - lowest))
    const style = ends && `left: ${ends[0]}%; right: ${100 - ends[1]}%`
    const title = `Guaranteed from ${certified?.join(" % to ")} %`
    put(this.parts.certified, ...style ? [element("i", { title, style })] : [])
    this.root.classList.toggle("large", message.large)
    this.parts.views.hidden = this.parts.surface.hidden = !message.charts.tp
    this.parts.now.hidden = !message.present
    this.showKey()
  }

  showKey() {
    const { hasOthers, hidden, listed, choice: { table } } = this.explorer, { methods, others } = this.parts
    const shown = JSON.stringify(this.#message.key)
    // A button that is replaced under the mouse loses its click.
    if (methods.dataset.shown !== shown) {
      methods.dataset.shown = shown
      methods.replaceChildren(...this.#message.key.map(({ name, colour, dash }) => {
        const onclick = () => this.explorer.toggle(name), title = "Show or hide this method in every chart"
        const style = `--colour: ${colour}; --dash: ${dash}`
        return element("button", { type: "button", value: name, title, style, onclick }, element("i", {}), name)
      }))
    }
    for (const button of methods.querySelectorAll("button")) {
      button.hidden = !listed.includes(button.value)
      button.disabled = button.value === table.methods.at(-1)
      button.ariaPressed = `${!hidden.has(button.value)}`
    }
    others.ariaExpanded = `${hasOthers}`
    others.textContent = hasOthers ? "Fewer methods" : "More methods"
  }

  /** Show a point. @param {number} percent @param {Row} row @param {boolean} byHand @param {string} goal */
  show(percent, { words, price, slope }, byHand, goal) {
    const { slider, box, parts } = this, { warning, guarantee } = words
    if (Number(slider.value) !== percent) slider.value = `${percent}`
    // Do not overwrite the user's typing.
    if (!this.#isTyping) box.value = short(percent)
    slider.setAttribute("aria-valuetext", inWords(percent, words))
    const [paid, sloped] = parts.price.children
    paid.textContent = price
    sloped.textContent = slope
    put(parts.warning, ...warning ? [element("b", {}, warning[0]), ` ${warning[1]}`] : [])
    put(parts.guarantee, ...guarantee ? [guarantee] : [])
    // A refused goal keeps its point but is not active.
    const isManual = byHand && !goal && !this.#message.place
    parts.goal.hidden = !isManual && !goal
    parts.manual.hidden = !isManual
    parts.derived.hidden = !goal
    parts.goalNote.textContent = goal ? this.#message.goal_note : ""
    parts.by.textContent = goal
    parts.place.textContent = byHand && this.#message.place ? `, ${this.#message.place}` : ""
    const intervals = intervalsOf(this.#message.intervals, percent, byHand)
    this.#fill(parts.thresholds, METRIC, words.thresholds, intervals)
    const [caught, falseAlerts, ...more] = words.counts
    const { headline } = this.#message, main = words.rates.filter(([label]) => label === headline)
    this.#fill(parts.counts, METRIC, [caught, falseAlerts, ...main, ...more], intervals)
    this.#fill(parts.rates, RATE, words.rates.filter(([label]) => label !== headline), intervals)
    this.#explain(words)
  }

  // Elements stay while their texts change: one that is replaced under the mouse loses its click.
  /** @param {HTMLElement} list @param {string} line @param {string[][]} lines @param {Intervals["words"]} intervals */
  #fill(list, line, lines, intervals) {
    if (list.children.length !== lines.length) list.innerHTML = line.repeat(lines.length)
    // The font shrinks to fit the longest number on one line.
    list.style.setProperty("--longest", `${Math.max(...lines.map(([, value]) => value.length))}`)
    lines.forEach(([label, value], i) => {
      const title = /** @type {HTMLElement} */ (list.children[i].firstElementChild)
      const between = /** @type {HTMLElement} */ (list.children[i].getElementsByClassName("between")[0])
      const number = /** @type {HTMLElement} */ (between.previousElementSibling)
      if (title.dataset.label !== label) {
        title.dataset.label = label
        title.replaceChildren(label, this.#explainer(label))
      }
      if (number.textContent !== value) number.textContent = value
      between.textContent = intervals[label] ?? ""
      between.hidden = !intervals[label]
    })
  }

  /** A button beside a number that explains it with the values on the screen. @param {string} label */
  #explainer(label) {
    const onclick = () => {
      const about = Object.keys(this.#message.explanations).find(words => label.startsWith(words))
      this.#explained = this.#explained === about ? undefined : about
      this.explorer.show()
    }
    return element("button", { type: "button", className: "explain", ariaLabel: `Explain ${label}`, onclick }, "?")
  }

  /** @param {PointWords} words */
  #explain(words) {
    const about = this.#explained, text = about && this.#message.explanations[about]
    put(this.parts.explanation, ...about ? [explained(text ?? "", words)] : [])
    for (const button of this.root.getElementsByClassName("explain")) {
      button.ariaExpanded = `${about !== undefined && button.ariaLabel?.startsWith(`Explain ${about}`)}`
    }
  }
}
