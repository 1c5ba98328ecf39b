import type { Bbox } from './bbox.ts'
import { mercatorHalfWorld, mercatorWorld } from './mercator.ts'

/** How far a reference system goes around the earth. */
export interface World {
  /** From one antimeridian to the next. */
  readonly width: number
  /** Where maps end towards a pole; web mercator ends where its map is a square. */
  readonly top: number
  /** Coordinates that data can have: to the poles, and once around the earth to either side. */
  readonly limits: Bbox
}

/** The y that PROJ gives a pole in EPSG:3857, rounded up. */
const mercatorPole = 242_528_681

const worlds: Readonly<Record<number, World>> = {
  3857: {
    width: mercatorWorld,
    top: mercatorHalfWorld,
    limits: limitsOf(mercatorWorld + 0.01, mercatorPole),
  },
  4326: { width: 360, top: 90, limits: limitsOf(360, 90) },
}

const unlimited = limitsOf(Number.MAX_VALUE, Number.MAX_VALUE)

function limitsOf(x: number, y: number): Bbox {
  return [-x, -y, x, y]
}

/** Finds how far a reference system goes around the earth; undefined for those of a region. */
export function findWorld(srs: number): World | undefined {
  return worlds[srs]
}

/** Returns the coordinates that data in a reference system can have. */
export function coordinateLimits(srs: number): Bbox {
  return worlds[srs]?.limits ?? unlimited
}
