// @ts-check
// The charts of the explorer, drawn one after the other: a chart is never drawn twice at once.

/** @import { Message, Row, Words } from "./messages.d.ts" */
/** @import { View } from "./chart.js" */
/** @import { Place } from "./protocol.js" */
import { Chart } from "./chart.js"
import { placeInWords } from "./panel.js"
import { loaded, offersWebGL } from "./plotly_adapter.js"

export class DrawingQueue {
  /** Fulfilled once everything that was asked for is drawn. */
  drawn = Promise.resolve()
  /** @type {Message | undefined} */
  #message

  /**
   * @param {HTMLElement[]} places
   * @param {(chart: string, clicked: Place) => void} pick
   * @param {() => void} fail called where Plotly cannot be loaded
   */
  constructor(places, pick, fail) {
    this.charts = places.map(place => new Chart(place, pick))
    this.fail = fail
  }

  // Draw what a message says, unless another one comes in before its turn. `view` is asked for at each chart: the
  // slider may have moved meanwhile.
  /** @param {Message} message @param {() => View} view */
  draw(message, view) {
    this.#message = message
    // A chart that failed is reported in the console, and does not keep the next ones from being drawn.
    this.drawn = this.drawn.catch(() => {}).then(() => this.#drawAll(view))
  }

  /** @param {() => View} view */
  async #drawAll(view) {
    const message = this.#message
    if (!message) return
    for (const { name, place } of this.charts) {
      place.hidden = !message.charts[name]
      if (!place.hidden) place.style.minHeight = `${message.charts[name].height}px`
    }
    let Plotly
    try {
      Plotly = await loaded(message.library)
    } catch {
      this.fail()
      return
    }
    for (const chart of this.charts) {
      const still = this.#message?.charts[chart.name]
      if (!still) continue
      if (still.surface) {
        if (!offersWebGL()) {
          const reason = "this browser does not draw in 3D (WebGL is off). The same counts are in threshold space."
          chart.refuse(`${still.title}: ${reason}`)
          continue
        }
        // Surfaces take longest: what is drawn before them is seen meanwhile. What comes in meanwhile has its own turn.
        await new Promise(done => setTimeout(done))
        if (message !== this.#message) return
      }
      await chart.draw(Plotly, still, view())
      chart.move(view().row)
    }
  }

  /** Move the marks; `released` once the slider rests. @param {Row} row @param {boolean} released */
  move(row, released) {
    for (const chart of this.charts.filter(chart => chart.isDrawn)) {
      chart.move(row)
      chart.fit(row, released)
    }
  }

  /** Say in words where the point is in each chart. @param {Words} words */
  describe(words) {
    for (const { name, place } of this.charts) {
      const alt = this.#message?.charts[name]?.alt
      if (alt) place.setAttribute("aria-label", `${alt} ${placeInWords(name, words)}`)
    }
  }

  /** Forget what is still to be drawn, and free what the charts hold. */
  leave() {
    this.#message = undefined
    for (const chart of this.charts) chart.leave()
  }
}
