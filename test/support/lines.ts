import { copyHeader, copyTrailer } from '../../src/core/copy_rows.ts'

/** A position in metres. */
type Position = readonly [x: number, y: number]
/** A short line between two positions. */
export type Line = readonly [Position, Position]

/** Creates a deterministic generator of numbers from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const random = createRandom(7)

/** Lines all over the world, densest in the south. */
export const lines: readonly Line[] = Array.from({ length: 5000 }, () => {
  const [x, y] = [4e7 * (random() - 0.5), 4e7 * random() ** 3]
  return [[x, y] as const, [x + 1e5 * random(), y - 1e5 * random()] as const] as const
})

/** Encodes lines as rows of a binary COPY: id, counting from `firstId`, and EWKB. */
export async function* rowsOf(some: readonly Line[], firstId = 0): AsyncGenerator<Buffer> {
  yield copyHeader
  for (const [at, line] of some.entries()) {
    // Number of values, length and id, length and line.
    const row = Buffer.alloc(2 + 4 + 8 + 4 + 41)
    row.writeInt16BE(2, 0)
    row.writeInt32BE(8, 2)
    row.writeBigInt64BE(BigInt(firstId + at), 6)
    row.writeInt32BE(41, 14)
    row[18] = 1
    row.writeUInt32LE(2, 19)
    row.writeUInt32LE(2, 23)
    for (const [nth, number] of line.flat().entries()) row.writeDoubleLE(number, 27 + 8 * nth)
    yield row
  }
  yield copyTrailer
}

/** Windows of all sizes, with the lines whose bounding boxes intersect them and the lines entirely inside. */
export function windows(count: number) {
  return Array.from({ length: count }, () => {
    const side = 4e7 * random() ** 4
    const [west, south] = [4e7 * (random() - 0.5), 4e7 * random() ** 3]
    const [east, north] = [west + side, south + side]
    const numbers = [...lines.keys()]
    const positionsOf = (at: number) => lines[at] ?? []
    return {
      window: [west, south, east, north] as const,
      meets: numbers.filter((at) => {
        const [[x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = []] = positionsOf(at)
        return x1 <= east && x2 >= west && y2 <= north && y1 >= south
      }),
      isInside: numbers.filter((at) =>
        positionsOf(at).every(([x, y]) => x >= west && x <= east && y >= south && y <= north),
      ),
    }
  })
}
