import type { MarkerLine } from '../../style/symbol_layer.ts'
import type { StrokeLine } from '../raster/stroke.ts'
import type { MarkerPen } from './marker.ts'

/** Maximum number of markers on a line, and minimum distance of markers in pixels. */
const limits = { markers: 20_000, interval: 0.5 }

/** Draws markers along lines, which have been moved by the offset of the layer. */
export function drawMarkerLine(
  pen: MarkerPen,
  lines: readonly StrokeLine[],
  layer: MarkerLine<number>,
): void {
  for (const line of lines) {
    const path = measurePath(line)
    if (path === undefined) continue
    const places = placesOf(path, layer)
    pen.addWork(places.length)
    for (const { x, y, angle } of places) {
      if (layer.isRotated) pen.draw(layer.marker, [x, y], angle)
      else pen.drawUpright(layer.marker, x, y)
    }
  }
}

/** A line with the distance of each position from its start. */
interface Path {
  readonly x: readonly number[]
  readonly y: readonly number[]
  readonly distance: readonly number[]
  readonly length: number
}

interface Place {
  readonly x: number
  readonly y: number
  /** Direction of the line in degrees, clockwise from the right. */
  readonly angle: number
}

function measurePath({ coordinates, isClosed }: StrokeLine): Path | undefined {
  const [x, y, distance]: [number[], number[], number[]] = [[], [], []]
  const size = coordinates.length / 2
  for (let at = 0; at < size + (isClosed ? 1 : 0); at += 1) {
    const [nextX, nextY] = [coordinates[2 * (at % size)] ?? 0, coordinates[2 * (at % size) + 1] ?? 0]
    if (!Number.isFinite(nextX) || !Number.isFinite(nextY)) continue
    const step = x.length === 0 ? 0 : Math.hypot(nextX - (x.at(-1) ?? 0), nextY - (y.at(-1) ?? 0))
    if (x.length > 0 && step === 0) continue
    x.push(nextX)
    y.push(nextY)
    distance.push((distance.at(-1) ?? 0) + step)
  }
  return x.length < 2 ? undefined : { x, y, distance, length: distance.at(-1) ?? 0 }
}

function placesOf(path: Path, layer: MarkerLine<number>): Place[] {
  return layer.placements.flatMap((placement) => {
    const last = path.x.length - 1
    const { offsetAlong } = layer
    switch (placement) {
      case 'interval':
        return intervals(path, layer)
      case 'vertex':
        return path.x.map((_, at) => vertexAt(path, at))
      case 'inner_vertices':
        return path.x.slice(1, -1).map((_, at) => vertexAt(path, at + 1))
      case 'first_vertex':
        return [offsetAlong === 0 ? vertexAt(path, 0) : pointAt(path, offsetAlong)]
      case 'last_vertex':
        return [offsetAlong === 0 ? vertexAt(path, last) : pointAt(path, path.length - offsetAlong)]
      case 'central_point':
        return [pointAt(path, path.length / 2)]
      case 'segment_center':
        return path.x.slice(1).map((_, at) => middleOf(path, at))
      default:
        return []
    }
  })
}

function intervals(path: Path, { interval, offsetAlong, averageLength }: MarkerLine<number>): Place[] {
  const least = Math.max(limits.interval, path.length / limits.markers)
  const step = interval >= least ? interval : least
  const start = Math.max(0, offsetAlong)
  const count = Math.floor((path.length - start) / step) + 1
  return Array.from({ length: Math.max(0, count) }, (_, at) =>
    averagePlace(path, start + at * step, averageLength / 2),
  )
}

/** Returns the place at a distance from the start, with the direction between the positions `reach` before and after it. */
function averagePlace(path: Path, distance: number, reach: number): Place {
  const place = pointAt(path, distance)
  if (!(reach > 0)) return place
  const isLoop = path.x[0] === path.x.at(-1) && path.y[0] === path.y.at(-1)
  const around = (along: number) => (isLoop ? (along + path.length) % path.length : along)
  const [before, after] = [around(distance - reach), around(distance + reach)].map((at) => pointAt(path, at))
  if (before === undefined || after === undefined) return place
  const [dx, dy] = [after.x - before.x, after.y - before.y]
  return dx === 0 && dy === 0 ? place : { ...place, angle: angleOf(dx, dy) }
}

/** Returns the place at a distance from the start. */
function pointAt(path: Path, distance: number): Place {
  const wanted = Math.min(path.length, Math.max(0, distance))
  let [low, high] = [0, path.distance.length - 2]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((path.distance[middle] ?? 0) <= wanted) low = middle
    else high = middle - 1
  }
  const [from, to] = [path.distance[low] ?? 0, path.distance[low + 1] ?? 1]
  return along(path, low, (wanted - from) / (to - from))
}

const middleOf = (path: Path, at: number) => along(path, at, 0.5)

function along({ x, y }: Path, at: number, part: number): Place {
  const [x0, y0, x1, y1] = [x[at] ?? 0, y[at] ?? 0, x[at + 1] ?? 0, y[at + 1] ?? 0]
  return { x: x0 + (x1 - x0) * part, y: y0 + (y1 - y0) * part, angle: angleOf(x1 - x0, y1 - y0) }
}

/** Returns a vertex, with the mean direction of its segments. */
function vertexAt(path: Path, at: number): Place {
  const { x, y } = path
  const [before, after] = [Math.max(0, at - 1), Math.min(x.length - 1, at + 1)]
  const [inX, inY] = unit((x[at] ?? 0) - (x[before] ?? 0), (y[at] ?? 0) - (y[before] ?? 0))
  const [outX, outY] = unit((x[after] ?? 0) - (x[at] ?? 0), (y[after] ?? 0) - (y[at] ?? 0))
  return { x: x[at] ?? 0, y: y[at] ?? 0, angle: angleOf(inX + outX, inY + outY) }
}

function unit(dx: number, dy: number): [number, number] {
  const length = Math.hypot(dx, dy) || 1
  return [dx / length, dy / length]
}

const angleOf = (dx: number, dy: number) => (Math.atan2(dy, dx) * 180) / Math.PI
