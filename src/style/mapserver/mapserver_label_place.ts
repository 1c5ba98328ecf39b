import type { GeometryFamily } from '../../contract/geometry.ts'
import type { LabelPlacement, Labels } from '../label_model.ts'
import type { Offset } from '../symbol_layer.ts'
import type { MapserverLabel, Symbolizer } from './mapserver_model.ts'
import { turn } from './mapserver_offset.ts'
import { widthOfShape } from './mapserver_shape.ts'

/** Distance that MapServer keeps from labels above, below, left or right of a position, in pixels. */
const slop = 2

/** What of labels depends on their position and on the marker that they are beside of. */
type LabelPlace = Pick<Labels, 'placement' | 'offset' | 'angle' | 'hasInkHeight'>

/** What the place of a label depends on besides the label itself. */
export interface LabelSurroundings {
  readonly family: GeometryFamily
  /** Styles of the class. */
  readonly symbolizers: readonly Symbolizer[]
}

/**
 * Returns the place of a label as MapServer has it: its offset leads away from the position, whatever its side, and is added to
 * half of the size of the first marker. Only centred labels lie over the marker, and have the offset as it is.
 */
export function placeOf(label: MapserverLabel, surroundings: LabelSurroundings): LabelPlace {
  const { family } = surroundings
  const { angle, position, offset = [0, 0] } = label
  const turned = typeof angle === 'number' ? (360 - angle) % 360 : 0
  if (family === 'LINESTRING' && typeof angle !== 'number')
    return { placement: alongLine(label), offset: [0, 0], angle: 0, hasInkHeight: true }
  if (position === 'auto')
    return family === 'POINT'
      ? { placement: { kind: 'around', distance: aroundDistance(label) }, offset: [0, 0], angle: turned }
      : { placement: { kind: 'horizontal' }, offset, angle: turned }
  const { quadrant, move } = besides(label, markerReach(surroundings))
  return {
    placement: { kind: 'over', quadrant },
    offset: turn(move, turned),
    angle: turned,
    hasInkHeight: true,
  }
}

function alongLine({ position, angle, offset = [0, 0] }: MapserverLabel): LabelPlacement {
  const [vertical, horizontal] = position
  const side = vertical === 'u' ? 'above' : vertical === 'l' ? 'below' : 'on'
  const isCurved = angle === 'follow'
  // Bent labels have no offset.
  const distance = Math.max(0, (isCurved ? 0 : offset[1]) + (horizontal === 'c' ? slop : 0))
  return {
    ...{ kind: 'line', isCurved, distance: side === 'on' ? 0 : distance },
    sides: position === 'auto' ? ['above', 'below', 'on'] : [side],
  }
}

/** Labels at any position keep a distance from the marker, which is known when they are placed. */
function aroundDistance({ size, offset = [0, 0] }: MapserverLabel): number {
  return size / 3 + Math.max(0, ...offset)
}

interface Beside {
  readonly quadrant: readonly [x: Sign, y: Sign]
  /** From the position to the nearest corner or side of the label, to the right and down. */
  readonly move: Offset<number>
}

type Sign = -1 | 0 | 1

function besides(
  { position, offset = [0, 0], wrap, maxLength }: MapserverLabel,
  reach: Offset<number>,
): Beside {
  const [vertical, horizontal] = position
  const x = horizontal === 'l' ? -1 : horizontal === 'r' ? 1 : 0
  const y = vertical === 'u' ? -1 : vertical === 'l' ? 1 : 0
  const away = [reach[0] + offset[0], reach[1] + offset[1]] as const
  if (x === 0) return { quadrant: [0, y], move: y === 0 ? offset : [0, y * (away[1] + slop)] }
  if (y !== 0) return { quadrant: [x, y], move: [x * away[0], y * away[1]] }
  // A label of one line beside a marker stands on the lower edge of the marker.
  const stands = away[1] > 0 && wrap === undefined && maxLength === undefined
  return { quadrant: [x, stands ? -1 : 0], move: [x * (away[0] + slop), stands ? away[1] : 0] }
}

/** Returns how far the first marker of a class reaches to each side, without its outline, in whole pixels as in MapServer. */
function markerReach({ family, symbolizers: [marker] }: LabelSurroundings): Offset<number> {
  if (family !== 'POINT' || marker === undefined) return [0, 0]
  const { size, shape } = marker
  const reach = (length: number) => Math.max(0, Math.floor((length - 1) / 2))
  return [reach(shape === undefined ? size : widthOfShape(shape, size)), reach(size)]
}
