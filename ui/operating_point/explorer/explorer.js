// Moves the operating point in the browser. Every number, word and coordinate comes from the table that Python made for
// each target; nothing is calculated here but which row of it is shown.

const AXES = ["xaxis", "yaxis"]
const REMEMBERED = "multiloss explorer"
const MILLISECONDS_OF_REST = 150

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)

let library

function loaded(address) {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script")
    script.src = address
    script.onload = () => resolve(window.Plotly)
    script.onerror = () => { library = undefined; reject(new Error(address)) }
    document.head.append(script)
  })
  return library
}

let webgl

// Asked once: a browser keeps few contexts, and takes one from a chart for each that is asked for beyond.
function offersWebGL() {
  return webgl ??= ["webgl2", "webgl"].some(kind => document.createElement("canvas").getContext(kind))
}

// What the reader set in the charts, kept for as long as the tab is open.
const memory = {
  read: () => JSON.parse(sessionStorage.getItem(REMEMBERED) ?? "{}"),
  write: part => sessionStorage.setItem(REMEMBERED, JSON.stringify({ ...memory.read(), ...part })),
}

function element(tag, attributes, ...children) {
  const made = Object.assign(document.createElement(tag), attributes)
  made.append(...children)
  return made
}

const SVG = "http://www.w3.org/2000/svg"
const STAR = "M0-12 2.8-3.7 11.4-3.7 4.5 1.4 7.1 9.7 0 4.6-7.1 9.7-4.5 1.4-11.4-3.7-2.8-3.7Z"

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  return made
}

function times(matrix, v) {
  return [0, 1, 2, 3].map(i => v.reduce((sum, part, j) => sum + matrix[i + 4 * j] * part, 0))
}

// A figure of Plotly, which stays, and the marks of the points on a layer of their own, which move: Plotly would draw
// shades and surfaces anew for every mark it moves.
class Chart {
  constructor(place) {
    this.place = place
    this.name = place.dataset.chart
    this.figure = place.appendChild(element("div"))
    this.area = shape("svg", { class: "area" })
    this.layer = place.appendChild(shape("svg", { class: "marks", "aria-hidden": "true" }))
    this.layer.append(this.area)
    this.drawn = []
  }

  get plot() { return this.figure._fullLayout }

  // Traces whose text has not changed are left as they are, and so is the reader's view.
  async draw(Plotly, { traces, layout, marks, surface }, { about, hidden, row, key, present }) {
    this.drawn = traces.map((text, i) => {
      const before = this.drawn[i]
      return before?.text === text && before.hides === hidden.has(before.trace.name) ? before : parsed(text, hidden)
    })
    this.marks = marks
    this.surface = surface
    this.present = present
    const next = { ...JSON.parse(layout), uirevision: about }
    if (surface) {
      next.scene.uirevision = "keep"
      next.scene.camera = memory.read()[`${this.name} camera`] ?? next.scene.camera
    } else this.setView(next, row, about)
    const first = !this.config
    // One and the same: Plotly draws everything anew when it gets another one.
    this.config ??= this.configuration(Plotly)
    await Plotly.react(this.figure, this.drawn.map(({ trace }) => trace), next, this.config)
    if (first) this.listen(Plotly)
    this.makeMarks(key)
    this.measure()
  }

  makeMarks({ points, ink }) {
    const follows = this.marks.map(text => JSON.parse(text).meta.follows)
    this.columns = follows.find(Array.isArray)
    this.line = follows.includes("tangent") || follows.includes("threshold")
      ? shape("line", { stroke: ink, "stroke-dasharray": follows.includes("tangent") ? "2 3" : "6 4", "stroke-width": 1.5 }) : undefined
    this.points = !this.columns ? [] : points.map(({ colour, chosen }) => chosen
      ? shape("path", { d: STAR, fill: colour, stroke: ink, "stroke-width": 1.5 })
      : shape("circle", { r: 5, fill: colour, stroke: ink, "stroke-width": 1.2 }))
    this.ghost = !this.columns ? undefined
      : shape("path", { d: STAR, fill: "none", stroke: ink, "stroke-width": 1.5, "stroke-dasharray": "3 2", class: "ghost" })
    this.area.replaceChildren(...(this.line ? [this.line] : []), ...(this.ghost ? [this.ghost] : []), ...this.points)
  }

  // Where in the chart the plot lies, and how its coordinates become pixels.
  measure() {
    const { plot } = this
    let box
    if (this.surface) {
      const { _size: size, scene } = plot
      box = [size.l + size.w * scene.domain.x[0], size.t + size.h * (1 - scene.domain.y[1]),
        size.w * (scene.domain.x[1] - scene.domain.x[0]), size.h * (scene.domain.y[1] - scene.domain.y[0])]
      const { glplot } = scene._scene
      if (!glplot.tellsMarks) {
        glplot.tellsMarks = true
        const render = glplot.onrender
        glplot.onrender = () => { render(); this.move(this.row) }
      }
    } else box = [plot.xaxis._offset, plot.yaxis._offset, plot.xaxis._length, plot.yaxis._length]
    ;["x", "y", "width", "height"].forEach((name, i) => this.area.setAttribute(name, box[i]))
    this.box = box
  }

  pixels(x, y, z) {
    const { plot } = this
    if (!this.surface) return [plot.xaxis.d2p(x), plot.yaxis.d2p(y)]
    const { dataScale, glplot } = plot.scene._scene
    const { model, view, projection } = glplot.cameraParams
    const [, , width, height] = this.box
    const point = [x, y, z].map((value, i) => value * dataScale[i])
    const seen = times(projection, times(view, times(model, [...point, 1])))
    return [(0.5 + 0.5 * seen[0] / seen[3]) * width, (0.5 - 0.5 * seen[1] / seen[3]) * height]
  }

  // Only the marks: no drawing by Plotly, so that they keep up with the slider.
  move(row) {
    this.row = row
    if (!this.box || !row) return
    this.points.forEach((mark, i) => this.put(mark, row, i))
    if (this.ghost) this.put(this.ghost, this.present, this.points.length - 1)
    if (this.line) this.moveLine(row)
  }

  // Puts a mark where a row has the point of a method.
  put(mark, row, i) {
    const place = row && this.columns.map(name => row[name][i])
    const shown = place && place[0] !== null && place[1] !== null
    mark.setAttribute("visibility", shown ? "visible" : "hidden")
    if (shown) mark.setAttribute("transform", `translate(${this.pixels(...place).map(at => at.toFixed(1))})`)
  }

  moveLine(row) {
    let ends
    if (this.name === "plane") ends = [0, 1].map(i => this.pixels(row.tangent[0][i], row.tangent[1][i]))
    else {
      const threshold = row.x.at(-1)
      const x = threshold === null ? -9 : this.plot.xaxis.d2p(threshold)
      ends = [[x, 0], [x, this.box[3]]]
    }
    ends.forEach(([x, y], i) => { this.line.setAttribute(`x${i + 1}`, x.toFixed(1)); this.line.setAttribute(`y${i + 1}`, y.toFixed(1)) })
  }

  // The range that shows the point, unless the reader zoomed. While the slider is dragged, only when it leaves the view.
  fit(Plotly, row, released) {
    if (this.name !== "plane" || !this.given || !same(this.shown(), this.given)) return
    const [x, y] = this.given
    const inSight = row.fp.at(-1) <= x[1] && row.tp.at(-1) >= y[0] && row.tp.at(-1) <= y[1]
    if ((inSight && !released) || same(row.view, this.given)) return
    this.given = row.view.map(range => [...range])
    Plotly.relayout(this.figure, { "xaxis.range": [...row.view[0]], "yaxis.range": [...row.view[1]] })
  }

  // Copies: Plotly changes ranges where they are.
  shown() { return AXES.map(axis => this.figure.layout?.[axis]?.range?.slice()) }

  // Plotly takes a new range for a wish to leave the zoom.
  setView(layout, row, about) {
    if (this.name === "plane") AXES.forEach((axis, i) => { layout[axis] = { ...layout[axis], range: [...row.view[i]] } })
    const given = AXES.map(axis => layout[axis]?.range?.slice())
    if (this.given && this.about === about && !same(this.shown(), this.given)) {
      for (const axis of AXES) {
        const { range, autorange } = this.figure.layout[axis]
        layout[axis] = { ...layout[axis], range, autorange }
      }
    }
    this.given = given
    this.about = about
  }

  asGiven() {
    return Object.fromEntries(AXES.map((axis, i) => this.given[i]
      ? [`${axis}.range`, [...this.given[i]]] : [`${axis}.autorange`, true]))
  }

  configuration(Plotly) {
    const picture = { name: "Save as a picture", icon: Plotly.Icons.camera, click: () => this.save(Plotly) }
    const home = { name: "Reset the view", icon: Plotly.Icons.home, click: () => Plotly.relayout(this.figure, this.asGiven()) }
    return {
      displaylogo: false, responsive: true, doubleClick: false, plotGlPixelRatio: window.devicePixelRatio,
      modeBarButtons: [[picture, this.surface ? "resetCameraDefault3d" : home]],
    }
  }

  // The picture carries the marks as traces of its own.
  save(Plotly) {
    const traces = this.marks.map(text => {
      const trace = JSON.parse(text)
      const { follows } = trace.meta
      const { row } = this
      if (follows === "tangent") return { ...trace, x: row.tangent[0], y: row.tangent[1] }
      if (follows === "threshold") return { ...trace, x: [row.x.at(-1), row.x.at(-1)] }
      return { ...trace, ...Object.fromEntries(follows.map((column, i) => ["xyz"[i], row[column]])) }
    })
    const { data, layout, clientWidth: width, clientHeight: height } = this.figure
    return Plotly.downloadImage({ data: [...data, ...traces], layout }, { format: "png", scale: 2, width, height, filename: `operating point ${this.name}` })
  }

  listen(Plotly) {
    const follow = () => { this.measure(); this.move(this.row) }
    for (const event of ["plotly_afterplot", "plotly_relayouting", "plotly_relayout"]) this.figure.on(event, follow)
    if (this.surface) {
      this.figure.on("plotly_relayout", change => {
        if (change["scene.camera"]) memory.write({ [`${this.name} camera`]: change["scene.camera"] })
      })
      return
    }
    this.figure.on("plotly_click", ({ points: [point] }) => this.picked?.(this.name, point))
    const whole = Object.fromEntries(AXES.map(axis => [`${axis}.autorange`, true]))
    this.figure.on("plotly_doubleclick", () =>
      Plotly.relayout(this.figure, same(this.shown(), this.given) ? whole : this.asGiven()))
  }
}

function parsed(text, hidden) {
  const trace = JSON.parse(text)
  const hides = hidden.has(trace.name)
  return { text, hides, trace: hides ? { ...trace, visible: false } : trace }
}

function metric() {
  const parts = { title: element("dt"), number: element("dd"), interval: element("dd", { className: "between" }) }
  return element("div", { className: "metric", parts }, ...Object.values(parts))
}

function tableRow() {
  const parts = {
    title: element("th", { scope: "row" }), number: element("span"), interval: element("div", { className: "between" }),
  }
  return element("tr", { parts }, parts.title, element("td", {}, parts.number, parts.interval))
}

class Explorer {
  constructor(root) {
    this.root = root
    const find = selector => root.querySelector(selector)
    this.slider = find("input[type=range]")
    this.box = find("input[type=number]")
    this.parts = Object.fromEntries(
      ["price", "driver", "warning", "guarantee", "certified", "thresholds", "counts", "rates tbody", "explanation", "said", "key"].map(name => [name, find(`.${name}`)]))
    this.question = find(".question span")
    this.note = find(".controls .note")
    this.charts = [...root.querySelectorAll(".chart")].map(place => new Chart(place))
    for (const chart of this.charts) chart.picked = (name, point) => this.pick(name, point)
    this.hidden = new Set(memory.read().hidden ?? [])
    this.slider.oninput = () => this.move(Number(this.slider.value))
    this.slider.onchange = () => this.release()
    // Dragged and brought back: the browser tells of no change.
    for (const end of ["onpointerup", "onpointercancel", "onblur"]) this.slider[end] = () => { if (this.moves !== this.sent) this.release() }
    this.box.onchange = () => this.type()
    this.box.onblur = () => this.show()
  }

  take(data) {
    // Python hears of less than before where its session is a new one, and counts anew.
    if (!this.data || data.target.heard < this.data.target.heard) this.moves = this.sent = data.target.heard
    this.data = data
    this.left = false
    if (this.tableText !== data.table) {
      this.tableText = data.table
      this.table = JSON.parse(data.table)
    }
    for (const input of [this.slider, this.box]) {
      Object.assign(input, { min: this.table.lowest, max: this.table.highest, step: this.table.step })
    }
    this.box.step = "any"
    // Until Python has heard of the reader's last move, that one stands, whatever Python says of those before.
    if (data.target.heard === this.moves) {
      this.percent = data.target.percent
      this.hand = data.hand ?? undefined
      this.driver = data.driver
    }
    if (this.row() === undefined) this.percent = data.target.percent
    this.question.textContent = data.question
    this.note.textContent = data.note
    this.root.style.setProperty("--colour", data.key.chosen)
    this.showRange()
    this.showKey()
    this.show()
    this.draw()
  }

  // The targets at which a precision is guaranteed, below the slider.
  showRange() {
    const { certified, lowest, highest } = this.table
    this.parts.certified.hidden = !certified
    if (!certified) return
    const [left, right] = certified.map(percent => 100 * (percent - lowest) / (highest - lowest))
    const bar = element("i", { title: `Guaranteed from ${certified[0]} % to ${certified[1]} %` })
    Object.assign(bar.style, { left: `${left}%`, right: `${100 - right}%` })
    this.parts.certified.replaceChildren(bar)
  }

  // What the table says about the target, or of a point set by hand, less the points of hidden methods.
  row() {
    const row = this.hand ?? this.table.rows[this.table.percents.indexOf(this.percent)]
    if (!row || !this.hidden.size) return row
    const chosen = this.table.methods.length - 1
    const shown = values => values.map((value, i) => i < chosen && this.hidden.has(this.table.methods[i]) ? null : value)
    return { ...row, ...Object.fromEntries(["x", "y", "fp", "tp"].map(name => [name, shown(row[name])])) }
  }

  move(percent) {
    this.moves++
    this.percent = percent
    this.hand = undefined
    this.driver = ""
    this.show()
    this.requestFrame()
  }

  // Numbers never wait for the charts.
  requestFrame() {
    if (this.waiting) return
    this.waiting = true
    requestAnimationFrame(() => {
      this.waiting = false
      this.moveMarks(false)
    })
  }

  moveMarks(released) {
    const row = this.row()
    for (const chart of this.charts.filter(chart => chart.box)) {
      chart.move(row)
      chart.fit(window.Plotly, row, released)
    }
  }

  // A click on a curve or in threshold space: its thresholds become the point.
  pick(chart, point) {
    const pick = thresholds => {
      // A target that was on its way is no longer wanted.
      clearTimeout(this.resting)
      this.sent = ++this.moves
      this.fire("picked", [thresholds, this.moves])
    }
    const { pair, thresholds } = this.data.space
    if (chart === "plane" && point.customdata) {
      const picked = Array.from(point.customdata, Number).map(value => Number.isFinite(value) ? value : null)
      pick(picked)
    } else if (chart === "space") {
      const picked = [...thresholds]
      if (picked.length === 1) picked[0] = point.x
      else [picked[pair[0]], picked[pair[1]]] = [point.x, point.y]
      pick(picked)
    }
  }

  release() {
    this.parts.said.textContent = this.inWords(this.row())
    this.moveMarks(true)
    clearTimeout(this.resting)
    // Keys pressed one after the other are one wish.
    this.resting = setTimeout(() => this.tell(this.percent), MILLISECONDS_OF_REST)
  }

  tell(percent) {
    this.sent = this.moves
    this.send("moved", [percent, this.moves])
  }

  type() {
    const { lowest, highest } = this.table
    const typed = Number(this.box.value)
    const wish = this.box.value && Number.isFinite(typed) ? typed : this.percent
    const percent = Math.min(Math.max(Math.round(wish * 100) / 100, lowest), highest)
    this.box.value = percent
    if (this.table.percents.includes(percent)) {
      this.move(percent)
      this.release()
    } else {
      clearTimeout(this.resting)
      this.moves++
      this.tell(percent)
    }
  }

  show() {
    const row = this.row()
    const { words } = row
    if (Number(this.slider.value) !== this.percent) this.slider.value = this.percent
    // What is being typed is the reader's.
    if (document.activeElement !== this.box) this.box.value = this.percent
    this.slider.setAttribute("aria-valuetext", this.inWords(row))
    this.parts.price.replaceChildren(element("b", {}, row.price), element("small", {}, row.slope))
    this.parts.warning.hidden = !words.warning
    if (words.warning) this.parts.warning.replaceChildren(element("b", {}, words.warning[0]), ` ${words.warning[1]}`)
    this.showDriver()
    this.parts.guarantee.hidden = !words.guarantee
    this.parts.guarantee.textContent = words.guarantee ?? ""
    const { intervals } = this.data
    const ofThisPoint = intervals?.percent === this.percent && intervals.by_hand === Boolean(this.hand)
    const between = ofThisPoint ? intervals.words : {}
    this.fill(this.parts.thresholds, words.thresholds, between, metric)
    this.fill(this.parts.counts, words.counts, between, metric)
    this.fill(this.parts["rates tbody"], words.rates, between, tableRow)
    this.explain(words)
    for (const { name, place } of this.charts) {
      if (this.data.charts[name]) place.setAttribute("aria-label", `${this.data.charts[name].alt} ${this.place(name, words)}`)
    }
  }

  // A button beside a number that tells what it means, with the figures on the screen.
  explainer(label) {
    const about = Object.keys(this.data.explanations).find(words => label.startsWith(words))
    return element("button", {
      type: "button", className: "explain", ariaLabel: `Explain ${label}`, ariaExpanded: String(this.explained === about),
      onclick: () => {
        this.explained = this.explained === about ? undefined : about
        this.show()
      },
    }, "?")
  }

  explain({ thresholds, counts, rates }) {
    const { explanation } = this.parts
    explanation.hidden = !this.explained
    const values = Object.fromEntries([...thresholds, ...counts, ...rates])
    explanation.textContent = (this.data.explanations[this.explained] ?? "").replace(/{(.*?)}/g, (_, label) => values[label])
    for (const button of this.root.querySelectorAll(".explain")) {
      button.ariaExpanded = String(Boolean(this.explained) && button.ariaLabel.startsWith(`Explain ${this.explained}`))
    }
  }

  // Whether the point is the best one of its path, and what it was derived from.
  showDriver() {
    const { driver } = this.parts
    driver.hidden = !this.hand && !this.driver
    const about = driver.hidden ? "" : this.hand ? "hand" : this.driver
    if (driver.dataset.about === about) return
    driver.dataset.about = about
    if (driver.hidden) return
    const back = element("button", { type: "button", onclick: () => { this.move(this.percent); this.release() } },
      this.hand ? "Back to optimised" : "Back to the slider")
    driver.replaceChildren(element("b", {}, this.hand ? "Set by hand" : "Optimised"),
      this.hand ? ", not optimised: the slider shows what the path pays where it flags as many. " : ` for ${this.driver}. `, back)
  }

  // Elements stay while their texts change: one that is replaced under the mouse loses its click.
  fill(list, lines, between, make) {
    if (list.children.length !== lines.length) list.replaceChildren(...lines.map(make))
    lines.forEach(([label, value], i) => {
      const { title, number, interval } = list.children[i].parts
      if (title.dataset.label !== label) {
        title.dataset.label = label
        title.replaceChildren(label, this.explainer(label))
      }
      if (number.textContent !== value) number.textContent = value
      interval.textContent = between[label] ?? ""
      interval.hidden = !between[label]
    })
  }

  place(chart, words) {
    if (chart !== "space") return `Chosen point at TP ${words.counts[0][1]}, FP ${words.counts[1][1]}.`
    return `Chosen point at ${words.thresholds.map(pair => pair.join(" ")).join(", ")}.`
  }

  inWords({ words }) {
    const numbers = [...words.counts, ...words.thresholds].map(([label, value]) => `${label} ${value}`).join(", ")
    return `${this.percent} %. ${numbers}. ${words.warning ? words.warning.join(" ") : ""} ${words.guarantee ?? ""}`
  }

  showKey() {
    const shown = JSON.stringify([this.data.key, [...this.hidden]])
    // A button that is replaced under the mouse loses its click.
    if (this.keyShown === shown) return
    this.keyShown = shown
    const mark = ({ colour, dash }) => {
      const line = element("i")
      line.style.setProperty("--colour", colour)
      line.style.setProperty("--dash", dash)
      return line
    }
    const star = element("span", { className: "star" }, "★")
    star.style.setProperty("--colour", this.data.key.chosen)
    this.parts.key.replaceChildren(
      ...this.data.key.methods.map(method => element("button", {
        type: "button", ariaPressed: String(!this.hidden.has(method.name)), title: "Show or hide this method in every chart",
        onclick: () => this.toggle(method.name),
      }, mark(method), method.name)),
      element("span", {}, star, "chosen point"),
      element("span", {}, mark({ colour: "currentColor", dash: "dotted" }), "tangent at the target"),
    )
  }

  toggle(name) {
    if (!this.hidden.delete(name)) this.hidden.add(name)
    memory.write({ hidden: [...this.hidden] })
    this.showKey()
    this.draw()
    this.parts.key.querySelectorAll("button")[this.data.key.methods.findIndex(method => method.name === name)].focus()
  }

  // One after the other: a chart is never drawn twice at once.
  draw() {
    const before = this.turns ?? Promise.resolve()
    // A chart that failed is told of in the console, and does not keep the next ones from being drawn.
    this.turns = before.catch(() => {}).then(() => this.drawAll())
  }

  markKey() {
    const { methods } = this.data.key
    const chosen = this.table.methods.at(-1)
    const points = this.table.methods.map(name => ({ colour: methods.find(method => method.name === name).colour, chosen: name === chosen }))
    return { points, ink: this.data.key.ink }
  }

  async drawAll() {
    const { data } = this
    for (const { name, place } of this.charts) {
      place.hidden = !this.data.charts[name]
      if (!place.hidden) place.style.minHeight = `${this.data.charts[name].height}px`
    }
    let Plotly
    try {
      Plotly = window.Plotly ?? await loaded(this.data.library)
    } catch {
      this.send("failed", true)
      return
    }
    for (const chart of this.charts.filter(({ name }) => this.data.charts[name])) {
      const still = this.data.charts[chart.name]
      if (still.surface) {
        if (!offersWebGL()) {
          chart.place.classList.add("missing")
          chart.figure.textContent = `${still.title}: this browser does not draw in 3D (WebGL is off). The same counts are in threshold space.`
          continue
        }
        // Surfaces take longest: what is drawn before them is seen meanwhile. What comes in meanwhile has a turn of its own.
        await new Promise(done => setTimeout(done))
        if (data !== this.data || this.left) return
      }
      await chart.draw(Plotly, still, { about: this.data.about, hidden: this.hidden, row: this.row(), key: this.markKey(), present: this.data.present })
      // To where the slider is by now: it may have moved meanwhile.
      chart.move(this.row())
    }
  }

  leave() {
    this.left = true
    clearTimeout(this.resting)
    for (const { figure } of this.charts) window.Plotly?.purge(figure)
  }
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".explorer")
  root.explorer ??= new Explorer(root)
  root.explorer.send = setStateValue
  root.explorer.fire = setTriggerValue
  root.explorer.take(data)
  return () => root.explorer.leave()
}
