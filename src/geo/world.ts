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

/** Returns the limits of coordinates in a reference system. */
export function coordinateLimits(srs: number): Bbox {
  return worlds[srs]?.limits ?? unlimited
}
