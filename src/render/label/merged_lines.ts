import type { PixelGeometry } from '../draw/pixel_geometry.ts'
import { joinLines } from './join_lines.ts'
import type { LabelSpec } from './label_spec.ts'

/** Lines whose labels are equal. */
interface EqualLines<P> {
  readonly spec: LabelSpec
  /** That of the first of them. */
  readonly place: P
  readonly lines: Float64Array[]
}

/** Lines of a layer that have one label where they meet. */
export class MergedLines<P> {
  readonly #groups = new Map<string, EqualLines<P>>()

  /** Adds the lines of a feature, with its place in the order of drawing. */
  add(spec: LabelSpec, { parts }: PixelGeometry, place: P): void {
    const key = JSON.stringify(spec)
    const group = this.#groups.get(key) ?? { spec, place, lines: [] }
    this.#groups.set(key, group)
    for (const part of parts) for (const line of part) if (line.length >= 4) group.lines.push(line)
  }

  /** Returns each line that was joined from others, or met none, as a geometry of its own. */
  *join(): Generator<Omit<EqualLines<P>, 'lines'> & { readonly geometry: PixelGeometry }> {
    for (const { spec, place, lines } of this.#groups.values())
      for (const line of joinLines(lines))
        yield { spec, place, geometry: { family: 'LINESTRING', parts: [[line]] } }
  }
}
