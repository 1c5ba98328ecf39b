import { withOrigin } from '../style_origin.ts'
import { type ElementContext, readNumber, readParts, readValue, warn } from '../xml/element_reader.ts'
import { defaultLabel, labelAlignments, labelPositions, type MapserverLabel } from './mapserver_model.ts'
import { narrower, part, readColor, readPair, readWord } from './mapserver_value.ts'

/** Settings of a layer and class that their labels inherit. */
export interface LabelDefaults {
  readonly labelItem?: string
  readonly labelMin?: number
  readonly labelMax?: number
  /** Text of the class. */
  readonly text?: string
}

/** Sizes that have names in MapServer, in points. */
const namedSizes: Readonly<Record<string, number>> = { tiny: 5, small: 7, medium: 10, large: 13, giant: 16 }

/** Reads the labels of a class; reports labels without text. */
export function readLabels(contexts: readonly ElementContext[], defaults: LabelDefaults): MapserverLabel[] {
  return contexts.flatMap((context) => {
    const own = readLabel(context)
    const item = defaults.labelItem === undefined ? undefined : `[${defaults.labelItem}]`
    const text = own.text ?? defaults.text ?? item
    if (text === undefined) {
      const message = '<label> is not drawn: it has no text, and the layer has no <labelitem>'
      warn(context, context.element.span, { message })
      return []
    }
    const label: MapserverLabel = {
      ...defaultLabel,
      ...own,
      text,
      ...part('minScaleDenom', narrower(Math.max, own.minScaleDenom, defaults.labelMin)),
      ...part('maxScaleDenom', narrower(Math.min, own.maxScaleDenom, defaults.labelMax)),
    }
    return withOrigin(label, context.element.span)
  })
}

function readLabel(context: ElementContext): Partial<MapserverLabel> {
  const length = (at: ElementContext) => readNumber(at, { least: 0, most: 1000 })
  return readParts<MapserverLabel>(context, {
    children: {
      ...Object.fromEntries(ignoredElements.map((name) => [name, () => ({})])),
      text: (at) => part('text', readValue(at)),
      size: (at) => part('size', readSize(at)),
      color: (at) => part('color', readColor(at)),
      outlinecolor: (at) => part('outline', readColor(at)),
      outlinewidth: (at) => part('outlineWidth', length(at)),
      font: (at) => part('font', readValue(at)),
      position: (at) => part('position', readWord(at, labelPositions)),
      angle: (at) => part('angle', readAngle(at)),
      offset: (at) => part('offset', readPair(at)),
      priority: (at) => part('priority', readNumber(at, { least: 1, most: 10 })),
      force: (at) => part('isForced', readWord(at, ['true', 'false', 'group']) === 'true'),
      wrap: (at) => part('wrap', readValue(at)),
      align: (at) => part('align', readWord(at, labelAlignments)),
      maxlength: (at) => part('maxLength', length(at)),
      repeatdistance: (at) => part('repeatDistance', length(at)),
      minscaledenom: (at) => part('minScaleDenom', readNumber(at, { least: 0 })),
      maxscaledenom: (at) => part('maxScaleDenom', readNumber(at, { least: 0 })),
    },
  })
}

/** Elements without effect here, and those that only change which of several labels are drawn. */
const ignoredElements = [
  'antialias',
  'buffer',
  'encoding',
  'maxoverlapangle',
  'maxsize',
  'mindistance',
  'minsize',
  'partials',
  'type',
]

function readSize(context: ElementContext): number | undefined {
  const named = namedSizes[context.element.text.toLowerCase()]
  return named ?? readNumber(context, { least: 0, most: 1000 })
}

function readAngle(context: ElementContext): MapserverLabel['angle'] | undefined {
  const text = context.element.text.toLowerCase()
  if (text === 'auto' || text === 'follow') return text
  return text === 'auto2' ? 'auto' : readNumber(context, { least: -360, most: 360 })
}
