// What Python and the browser tell each other. The same contract, key by key, stands in ../messages.py.

/** Sent by Python at each run of the page. */
export interface Message {
  /** Where Plotly's browser library is. */
  library: string
  /** What the axes mean: the user's zoom is kept while this stays the same. */
  about: string
  target: Target
  /** A `Table` as JSON text: text that did not change is not parsed again. */
  table: string
  charts: Record<string, ChartMessage>
  key: Key
  /** By the beginning of a label: what it means, with {label} for the value under that label. */
  explanations: Record<string, string>
  question: string
  note: string
  intervals: Intervals | null
  /** The point at thresholds set by hand, where these drive. */
  hand: Row | null
  /** The point at the thresholds in force now, where they are known. */
  present: Row | null
  /** What the target is derived from, in words; empty for the slider itself. */
  driver: string
  space: Space
}

/** The target in percent, and the number of the user's last event that Python has heard of. */
export interface Target {
  percent: number
  heard: number
}

/** Everything that moves, for every target of the slider; `methods` with the chosen one last. */
export interface Table {
  percents: number[]
  lowest: number
  highest: number
  step: number
  methods: string[]
  rows: Row[]
  /** The lowest and the highest target in percent whose point is certified. */
  certified: [number, number] | null
}

/** One target: its words, and the points of all methods in the order of `Table.methods`; null is not drawn. */
export interface Row {
  price: string
  slope: string
  words: Words
  x: (number | null)[]
  y: (number | null)[]
  fp: (number | null)[]
  tp: (number | null)[]
  /** FP and TP of the two ends of the tangent. */
  tangent: [number[], number[]]
  /** The ranges of FP and TP that show the point. */
  view: [number[], number[]]
}

export type Lines = [label: string, value: string][]

export interface Words {
  thresholds: Lines
  counts: Lines
  rates: Lines
  /** Headline and explanation. */
  warning: [string, string] | null
  guarantee: string | null
}

/** One chart: each trace, the layout and each mark as JSON text, so that what did not change is known by its text. */
export interface ChartMessage {
  title: string
  height: number
  traces: string[]
  layout: string
  alt: string
  surface: boolean
  /** Traces whose coordinates follow the columns of `Row` that they name in `meta.follows`. */
  marks: string[]
}

/** Colours and dashes (CSS) of the methods. */
export interface Key {
  methods: { name: string, colour: string, dash: string }[]
  chosen: string
  ink: string
}

/** What new data will show of one point: by label, an interval in words. */
export interface Intervals {
  percent: number
  by_hand: boolean
  words: Record<string, string>
}

/** The two classifiers whose thresholds are drawn, and the chosen thresholds of all; null for no threshold. */
export interface Space {
  pair: number[]
  thresholds: (number | null)[]
}

/** Sent to Python, each as a value of the component. Events carry their number, as they may arrive in any order. */
export interface Events {
  moved: [percent: number, event: number]
  picked: [thresholds: (number | null)[], event: number]
  /** The charts could not be drawn at all. */
  failed: true
}
