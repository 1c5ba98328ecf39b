import type { GeometryFamily } from '../../contract/geometry.ts'
import type { Expression } from '../expression/expression.ts'
import type { LabelPlacement, Labels } from '../label_model.ts'
import type { MapserverLabel } from './mapserver_model.ts'

/** Returns a label of MapServer as labels of geometries of a family. */
export function labelsOf(label: MapserverLabel, family: GeometryFamily): Labels {
  const { size, color, outline, outlineWidth, font = '', offset = [0, 0], priority, isForced } = label
  const { angle, wrap = '', maxLength = 0 } = label
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
    placement: placementOf(label, family),
    offset,
    angle: typeof angle === 'number' ? (360 - angle) % 360 : 0,
    priority,
    showsAll: isForced,
    wrapCharacter: wrap,
    wrapLength: maxLength,
    lineHeight: 1,
    alignment: 'center',
    ...(label.repeatDistance === undefined ? {} : { repeatDistance: label.repeatDistance }),
  }
}

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

function placementOf({ position, angle, size }: MapserverLabel, family: GeometryFamily): LabelPlacement {
  const [vertical = 'c', horizontal = 'c'] = position
  if (family === 'LINESTRING' && (angle === 'auto' || angle === 'follow')) {
    const side = vertical === 'u' ? 'above' : vertical === 'l' ? 'below' : 'on'
    const line = { kind: 'line', isCurved: angle === 'follow', distance: 0 } as const
    return { ...line, sides: position === 'auto' ? ['above', 'below', 'on'] : [side] }
  }
  if (position === 'auto')
    return family === 'POINT' ? { kind: 'around', distance: size / 4 } : { kind: 'horizontal' }
  const x = horizontal === 'l' ? -1 : horizontal === 'r' ? 1 : 0
  const y = vertical === 'u' ? -1 : vertical === 'l' ? 1 : 0
  return { kind: 'over', quadrant: [x, y] }
}
