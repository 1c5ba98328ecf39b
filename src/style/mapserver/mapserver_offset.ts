import type { Offset } from '../symbol_layer.ts'
import type { Symbolizer } from './mapserver_model.ts'

/** Turns an offset, clockwise. */
export function turn([x, y]: readonly [number, number], degrees: number): Offset<number> {
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)]
  return degrees === 0 ? [x, y] : [x * cos - y * sin, x * sin + y * cos]
}

/** Returns how far lines are shifted to their right side; undefined if they are not. */
export function shiftOf({ offset: [x, y] = [0, 0] }: Symbolizer): number | undefined {
  return y === -99 ? x : undefined
}
