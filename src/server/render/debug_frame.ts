import { mercatorHalfWorld, mercatorWorld } from '../../geo/mercator.ts'
import type { DebugMark } from '../../render/image/debug_marks.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'

/** Side of tiles in pixels of 1/96 inch. */
const tileSide = 256

/** Maximum difference of a zoom level to a whole number. */
const tolerance = 1e-6

/** Returns the outlines of the tiles that an image shows, by `z/x/y`; of the image, by its extent, at other resolutions. */
export function findDebugMarks(frame: ImageFrame): DebugMark[] {
  const { box, width, height, pixelRatio = 1, system } = frame
  const [resolution, vertical] = [(box[2] - box[0]) / width, (box[3] - box[1]) / height]
  const zoom = Math.log2(mercatorWorld / tileSide / (resolution * pixelRatio))
  const z = Math.round(zoom)
  const isTiled =
    system === undefined &&
    Math.abs(zoom - z) < tolerance &&
    Math.abs(vertical / resolution - 1) < tolerance &&
    z >= 0
  return isTiled ? listTiles(frame, z) : [{ box: [0, 0, width, height], name: nameOf(frame) }]
}

function nameOf({ box, system }: ImageFrame): string {
  return `EPSG:${system?.srs ?? 3857} ${box.map((edge) => Number(edge.toPrecision(10))).join(', ')}`
}

function listTiles({ box, width, height, pixelRatio = 1 }: ImageFrame, z: number): DebugMark[] {
  const [side, count] = [tileSide * pixelRatio, 2 ** z]
  const tile = mercatorWorld / count
  const left = ((box[0] + mercatorHalfWorld) / tile) * side
  const top = ((mercatorHalfWorld - box[3]) / tile) * side
  const marks: DebugMark[] = []
  const first = (edge: number) => Math.max(0, Math.floor(edge / side + tolerance))
  const last = (edge: number) => Math.min(count, Math.ceil(edge / side - tolerance))
  for (let y = first(top); y < last(top + height); y += 1)
    for (let x = first(left); x < last(left + width); x += 1) {
      const [minX, minY] = [x * side - left, y * side - top]
      marks.push({ box: [minX, minY, minX + side, minY + side], name: `${z}/${x}/${y}` })
    }
  return marks
}
