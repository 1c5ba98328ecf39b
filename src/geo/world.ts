import type { Bbox } from './bbox.ts'
import { mercatorHalfWorld, mercatorWorld } from './mercator.ts'

/** Extent of a reference system that covers the whole earth. */
export interface World {
  /** Width of the earth, from antimeridian to antimeridian. */
  readonly width: number
  /** Maximum y of maps; in web mercator, the edge of the square map. */
  readonly top: number
  /** Limits of coordinates: the poles, and a copy of the world on either side. */
  readonly limits: Bbox
}

/** The y of a pole in EPSG:3857, as PROJ computes it, rounded up. */
const mercatorPole = 242_528_681

const worlds: Readonly<Record<number, World>> = {
  3857: {
    width: mercatorWorld,
    top: mercatorHalfWorld,
    limits: limitsOf(1.5 * mercatorWorld, mercatorPole),
  },
  4326: { width: 360, top: 90, limits: limitsOf(540, 90) },
}

const unlimited = limitsOf(Number.MAX_VALUE, Number.MAX_VALUE)

function limitsOf(x: number, y: number): Bbox {
  return [-x, -y, x, y]
}

/** Finds the extent of a global reference system; undefined for regional ones. */
export function findWorld(srs: number): World | undefined {
  return worlds[srs]
}

/** Maximum number of copies of the world that maps repeat on either side of it. */
export const maxCopies = 3

/** Lists the copies of a world in which an area lies, from west to east; the world itself is 0. */
export function listCopies([west, , east]: Bbox, width: number): number[] {
  const first = Math.max(-maxCopies, Math.ceil(west / width - 0.5) - 1)
  const last = Math.min(maxCopies, Math.floor(east / width + 0.5))
  const copies = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
  return copies.filter((copy) => (copy + 0.5) * width > west && (copy - 0.5) * width < east)
}

/** Returns a box, moved by a number of worlds. */
export function moveBox([west, south, east, north]: Bbox, worlds: number, width: number): Bbox {
  return [west + worlds * width, south, east + worlds * width, north]
}

/** Returns the limits of coordinates in a reference system. */
export function coordinateLimits(srs: number): Bbox {
  return worlds[srs]?.limits ?? unlimited
}
