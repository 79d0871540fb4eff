// Redraws a Plotly chart in place: traces whose text has not changed are left as they are, and so is the reader's zoom.

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

const AXES = ["xaxis", "yaxis"]
// Copies: Plotly changes ranges where they are.
const view = layout => AXES.map(axis => layout?.[axis]?.range?.slice())
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)
const asGiven = chart => Object.fromEntries(AXES.map((axis, i) => chart.given[i]
  ? [`${axis}.range`, [...chart.given[i]]] : [`${axis}.autorange`, true]))
const whole = () => Object.fromEntries(AXES.map(axis => [`${axis}.autorange`, true]))

function traces(chart, texts) {
  const before = chart.drawnTraces ?? []
  chart.drawnTraces = texts.map((text, i) => before[i]?.text === text ? before[i] : { text, trace: JSON.parse(text) })
  return chart.drawnTraces.map(drawn => drawn.trace)
}

// Plotly takes a new range for a wish to leave the zoom.
function keepZoom(chart, layout) {
  const given = view(layout)
  if (chart.given && chart.about === layout.uirevision && !same(view(chart.layout), chart.given)) {
    for (const axis of AXES) {
      const { range, autorange } = chart.layout[axis]
      layout[axis] = { ...layout[axis], range, autorange }
    }
  }
  chart.given = given
  chart.about = layout.uirevision
}

function config(Plotly, chart) {
  const reset = { name: "Reset the view", icon: Plotly.Icons.home, click: () => Plotly.relayout(chart, asGiven(chart)) }
  return { displaylogo: false, responsive: true, doubleClick: false, modeBarButtons: [["toImage", reset]] }
}

async function draw(Plotly, chart, data) {
  const layout = { ...JSON.parse(data.layout), uirevision: data.about }
  for (const [axis, update] of Object.entries(data.view)) layout[axis] = { ...layout[axis], ...update }
  keepZoom(chart, layout)
  const first = !chart.config
  // One and the same: Plotly draws everything anew when it gets another one.
  chart.config ??= config(Plotly, chart)
  await Plotly.react(chart, traces(chart, data.traces), layout, chart.config)
  if (first) {
    chart.on("plotly_doubleclick", () =>
      Plotly.relayout(chart, same(view(chart.layout), chart.given) ? whole() : asGiven(chart)))
  }
}

export default function ({ data, parentElement }) {
  const chart = parentElement.querySelector(".live-chart")
  chart.setAttribute("aria-label", data.alt)
  chart.style.minHeight = `${JSON.parse(data.layout).height}px`
  if (window.Plotly) draw(window.Plotly, chart, data)
  else {
    chart.waiting = data
    loaded(data.library).then(
      Plotly => draw(Plotly, chart, chart.waiting),
      () => { chart.textContent = `The chart could not be drawn. ${data.alt}` },
    )
  }
  return () => window.Plotly?.purge(chart)
}
