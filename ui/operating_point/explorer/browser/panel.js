// @ts-check
// What stands next to the charts: the slider and its box, the numbers, what they mean, and the key of the methods.

/** @import { Intervals, Key, Lines, Message, Row, Table, Words } from "./messages.d.ts" */
import { element, part, parts } from "./dom.js"

/** What the screen says to who cannot see it, of a target and its row. @param {number} percent @param {Words} words */
export function inWords(percent, { counts, thresholds, warning, guarantee }) {
  const numbers = [...counts, ...thresholds].map(([label, value]) => `${label} ${value}`).join(", ")
  return `${percent} %. ${numbers}. ${warning ? warning.join(" ") : ""} ${guarantee ?? ""}`
}

/** Where the chosen point is in a chart. @param {string} chart @param {Words} words */
export function placeInWords(chart, { counts, thresholds }) {
  if (chart !== "space") return `Chosen point at TP ${counts[0][1]}, FP ${counts[1][1]}.`
  return `Chosen point at ${thresholds.map(pair => pair.join(" ")).join(", ")}.`
}

/** What a label means, with the values on the screen. @param {string} explanation @param {Words} words */
export function explained(explanation, { thresholds, counts, rates }) {
  const values = Object.fromEntries([...thresholds, ...counts, ...rates])
  return explanation.replace(/{(.*?)}/g, (_, label) => values[label])
}

// The intervals of what is on the screen: by label; none where they are of another point.
/** @param {Intervals | null} intervals @param {number} percent @param {boolean} byHand */
export function intervalsOf(intervals, percent, byHand) {
  return intervals?.percent === percent && intervals.by_hand === byHand ? intervals.words : {}
}

/** Elements that stay while their texts change: one that is replaced under the mouse loses its click. */
class List {
  /** @type {ReturnType<typeof metric>[]} */
  #lines = []

  /** @param {HTMLElement} place @param {typeof metric} make @param {(label: string) => Node} explainer */
  constructor(place, make, explainer) {
    this.place = place
    this.make = make
    this.explainer = explainer
  }

  /** @param {Lines} lines @param {Record<string, string>} intervals */
  fill(lines, intervals) {
    if (this.#lines.length !== lines.length) {
      this.#lines = lines.map(this.make)
      this.place.replaceChildren(...this.#lines.map(({ whole }) => whole))
    }
    lines.forEach(([label, value], i) => {
      const { title, number, interval } = this.#lines[i]
      if (title.dataset.label !== label) {
        title.dataset.label = label
        title.replaceChildren(label, this.explainer(label))
      }
      if (number.textContent !== value) number.textContent = value
      interval.textContent = intervals[label] ?? ""
      interval.hidden = !intervals[label]
    })
  }
}

/** @returns {Record<"whole" | "title" | "number" | "interval", HTMLElement>} */
function metric() {
  const [title, number, interval] = [element("dt"), element("dd"), element("dd", { className: "between" })]
  return { title, number, interval, whole: element("div", { className: "metric" }, title, number, interval) }
}

/** @type {typeof metric} */
function tableRow() {
  const title = element("th", { scope: "row" })
  const [number, interval] = [element("span"), element("div", { className: "between" })]
  return { title, number, interval, whole: element("tr", {}, title, element("td", {}, number, interval)) }
}

/** Reports what the user does through the functions that it is given; knows nothing of what follows. */
export class Panel {
  /** What is explained: the beginning of a label. @type {string | undefined} */
  #explained
  /** @type {(() => void) | undefined} */
  #again
  #keyShown = ""

  /**
   * @param {HTMLElement} root
   * @param {{
   *   move: (percent: number) => void, release: () => void, leave: () => void, type: (typed: string) => void,
   *   back: () => void, toggle: (method: string) => void,
   * }} on
   */
  constructor(root, on) {
    this.root = root
    this.on = on
    /** @type {HTMLInputElement} */
    this.slider = part(root, "input[type=range]")
    /** @type {HTMLInputElement} */
    this.box = part(root, "input[type=number]")
    this.slider.oninput = () => on.move(Number(this.slider.value))
    this.slider.onchange = () => on.release()
    // Dragged and brought back: the browser tells of no change.
    this.slider.onpointerup = this.slider.onpointercancel = this.slider.onblur = () => on.leave()
    this.box.onchange = () => on.type(this.box.value)
    this.box.onblur = () => this.#again?.()
    const explainer = (/** @type {string} */ label) => this.#explainer(label)
    this.thresholds = new List(part(root, ".thresholds"), metric, explainer)
    this.counts = new List(part(root, ".counts"), metric, explainer)
    this.rates = new List(part(root, ".rates tbody"), tableRow, explainer)
  }

  /** What stays while the slider moves. @param {Message} message @param {Table} table */
  take(message, { lowest, highest, step, certified }) {
    this.message = message
    for (const input of [this.slider, this.box]) Object.assign(input, { min: lowest, max: highest, step })
    this.box.step = "any"
    part(this.root, ".question span").textContent = message.question
    part(this.root, ".controls .note").textContent = message.note
    this.root.style.setProperty("--colour", message.key.chosen)
    this.#showRange(certified, lowest, highest)
  }

  // The targets at which a precision is guaranteed, below the slider.
  /** @param {[number, number] | null} certified @param {number} lowest @param {number} highest */
  #showRange(certified, lowest, highest) {
    const place = part(this.root, ".certified")
    place.hidden = !certified
    if (!certified) return
    const [left, right] = certified.map(percent => 100 * (percent - lowest) / (highest - lowest))
    const bar = element("i", { title: `Guaranteed from ${certified[0]} % to ${certified[1]} %` })
    Object.assign(bar.style, { left: `${left}%`, right: `${100 - right}%` })
    place.replaceChildren(bar)
  }

  // The numbers of a point; of one set by hand, or derived from what `driver` says.
  /** @param {number} percent @param {Row} row @param {boolean} byHand @param {string} driver */
  show(percent, row, byHand, driver) {
    this.#again = () => this.show(percent, row, byHand, driver)
    const { words, price, slope } = row
    if (Number(this.slider.value) !== percent) this.slider.value = `${percent}`
    // What is being typed is the user's.
    if (document.activeElement !== this.box) this.typed = percent
    this.slider.setAttribute("aria-valuetext", inWords(percent, words))
    part(this.root, ".price").replaceChildren(
      element("b", { textContent: price }), element("small", { textContent: slope }))
    this.#showSentences(words)
    this.#showDriver(byHand, driver)
    const intervals = intervalsOf(this.message?.intervals ?? null, percent, byHand)
    this.thresholds.fill(words.thresholds, intervals)
    this.counts.fill(words.counts, intervals)
    this.rates.fill(words.rates, intervals)
    this.#explain(words)
  }

  /** The target in the box. @param {number} percent */
  set typed(percent) {
    this.box.value = `${percent}`
  }

  /** To screen readers, politely. @param {string} sentence */
  say(sentence) {
    part(this.root, ".said").textContent = sentence
  }

  /** @param {Words} words */
  #showSentences({ warning, guarantee }) {
    const [warned, guaranteed] = [part(this.root, ".warning"), part(this.root, ".guarantee")]
    warned.hidden = !warning
    if (warning) warned.replaceChildren(element("b", { textContent: warning[0] }), ` ${warning[1]}`)
    guaranteed.hidden = !guarantee
    guaranteed.textContent = guarantee ?? ""
  }

  // Whether the point is the best one of its path, and what it was derived from.
  /** @param {boolean} byHand @param {string} driver */
  #showDriver(byHand, driver) {
    const place = part(this.root, ".driver")
    place.hidden = !byHand && !driver
    const about = byHand ? "hand" : driver
    if (place.dataset.about === about) return
    place.dataset.about = about
    if (place.hidden) return
    const text = byHand
      ? ", not optimised: the slider shows what the path pays where it flags as many. " : ` for ${driver}. `
    const back = { type: /** @type {const} */ ("button"), onclick: () => this.on.back() }
    place.replaceChildren(
      element("b", { textContent: byHand ? "Set by hand" : "Optimised" }), text,
      element("button", { ...back, textContent: byHand ? "Back to optimised" : "Back to the slider" }))
  }

  /** A button next to a number that tells what it means, with the figures on the screen. @param {string} label */
  #explainer(label) {
    const about = Object.keys(this.message?.explanations ?? {}).find(words => label.startsWith(words))
    return element("button", {
      type: "button", className: "explain", ariaLabel: `Explain ${label}`, textContent: "?",
      ariaExpanded: String(this.#explained === about),
      onclick: () => {
        this.#explained = this.#explained === about ? undefined : about
        this.#again?.()
      },
    })
  }

  /** @param {Words} words */
  #explain(words) {
    const about = this.#explained
    const place = part(this.root, ".explanation")
    place.hidden = !about
    place.textContent = explained((about && this.message?.explanations[about]) ?? "", words)
    for (const button of parts(this.root, ".explain")) {
      button.ariaExpanded = String(Boolean(about) && Boolean(button.ariaLabel?.startsWith(`Explain ${about}`)))
    }
  }

  /** @param {Key} key @param {Set<string>} hidden */
  showKey(key, hidden) {
    const shown = JSON.stringify([key, [...hidden]])
    // A button that is replaced under the mouse loses its click.
    if (this.#keyShown === shown) return
    this.#keyShown = shown
    const star = element("span", { className: "star", textContent: "★" })
    star.style.setProperty("--colour", key.chosen)
    part(this.root, ".key").replaceChildren(
      ...key.methods.map(({ name, colour, dash }) => element("button", {
        type: "button", ariaPressed: String(!hidden.has(name)), title: "Show or hide this method in every chart",
        onclick: () => this.on.toggle(name),
      }, line(colour, dash), name)),
      element("span", {}, star, "chosen point"),
      element("span", {}, line("currentColor", "dotted"), "tangent at the target"),
    )
  }

  /** Focus on a method of the key, whose button was made anew. @param {string} method */
  focus(method) {
    const place = this.message?.key.methods.findIndex(({ name }) => name === method) ?? -1
    parts(this.root, ".key button")[place]?.focus()
  }
}

/** @param {string} colour @param {string} dash */
function line(colour, dash) {
  const drawn = element("i")
  drawn.style.setProperty("--colour", colour)
  drawn.style.setProperty("--dash", dash)
  return drawn
}
