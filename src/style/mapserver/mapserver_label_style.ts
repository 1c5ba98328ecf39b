import type { Expression } from '../expression/expression.ts'
import type { Labels } from '../label_model.ts'
import { type LabelSurroundings, placeOf } from './mapserver_label_place.ts'
import type { MapserverLabel } from './mapserver_model.ts'

/** Returns a label of MapServer as labels of geometries of a family. */
export function labelsOf(label: MapserverLabel, surroundings: LabelSurroundings): Labels {
  const { color, outline, outlineWidth, font = '', priority, isForced, wrap = '', maxLength = 0 } = label
  const points = Math.floor(label.size)
  const size = Math.round(points * pixelsPerPoint)
  return {
    text: textOf(label.text),
    ...scaleLimitsOf(label),
    font: {
      family: font === '' ? 'sans-serif' : font,
      size,
      weight: /bold/i.test(font) ? 700 : 400,
      isItalic: /italic|oblique/i.test(font),
      letterSpacing: 0,
      capitalization: 'mixed',
    },
    color,
    ...(outline === undefined ? {} : { buffer: { size: outlineReach(outlineWidth), color: outline } }),
    ...placeOf(label, surroundings),
    priority,
    showsAll: isForced,
    wrapCharacter: wrap,
    wrapLength: maxLength,
    lineHeight: size > 0 ? Math.ceil(points * lineSpacing) / size : 1,
    alignment: label.align ?? 'left',
    ...(label.repeatDistance === undefined ? {} : { repeatDistance: label.repeatDistance }),
  }
}

/** MapServer has sizes of fonts in whole points, and draws letters in whole pixels of 1/96 inch, at any resolution of the map. */
const pixelsPerPoint = 96 / 72

/** Distance of the lines of a label in pixels, as a multiple of its size in points. */
const lineSpacing = 1.33

/** Returns how far an outline is seen on each side of a letter: MapServer draws it one pixel wider than it says, half of it inside. */
const outlineReach = (width: number) => (width + 1) / 2

/** MapServer has pixels of 1/72 inch, where the denominator of a resolution is smaller. */
const scaleFactor = 96 / 72

/** Converts the scale limits of a class or label. */
export function scaleLimitsOf({
  minScaleDenom,
  maxScaleDenom,
}: Pick<MapserverLabel, 'minScaleDenom' | 'maxScaleDenom'>): Pick<Labels, 'minScaleDenom' | 'maxScaleDenom'> {
  return {
    ...(minScaleDenom === undefined ? {} : { minScaleDenom: minScaleDenom * scaleFactor }),
    ...(maxScaleDenom === undefined ? {} : { maxScaleDenom: maxScaleDenom * scaleFactor }),
  }
}

/** Replaces `[field]` by the value of a field; null is an empty string. */
function textOf(template: string): Expression {
  const parts = template.split(/\[([^\]]+)\]/).flatMap((part, index): Expression[] => {
    if (index % 2 === 0) return part === '' ? [] : [{ op: 'literal', value: part }]
    return [{ op: 'field', name: part }]
  })
  const [only, ...more] = parts
  if (only !== undefined && more.length === 0) return only
  return { op: 'call', name: 'concat', operands: parts }
}
