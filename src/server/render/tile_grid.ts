import { alternativeUrls } from '../../contract/catalog/catalog.ts'
import { lonLatOfMercator, mercatorHalfWorld } from '../../geo/mercator.ts'
import { quadkeyOf, type TileAddress } from '../../geo/tile.ts'

/** The tiles of a reference system: squares that divide the world. */
export interface TileScheme {
  /** Tiles along the sides of the world at zoom level 0. */
  readonly columns: number
  readonly rows: number
  /** Whether positions in EPSG:3857 are proportional to those of the tiles. */
  readonly isMercator: boolean
  /** Moves a position in EPSG:3857 to parts of the sides of the world, from the north-west. */
  place(x: number, y: number): readonly [x: number, y: number]
}

const acrossOf = (x: number) => (x + mercatorHalfWorld) / (2 * mercatorHalfWorld)

/** Eccentricity of the WGS 84 ellipsoid. */
const eccentricity = 0.081_819_190_842_622

/** Returns y of EPSG:3395, mercator of the ellipsoid, as a part of half the world. @see EPSG Guidance Note 7-2 */
function ellipsoidY(latitude: number): number {
  const sine = Math.sin((latitude * Math.PI) / 180)
  return (Math.atanh(sine) - eccentricity * Math.atanh(eccentricity * sine)) / Math.PI
}

const schemes: Readonly<Record<number, TileScheme>> = {
  3857: {
    ...{ columns: 1, rows: 1, isMercator: true },
    place: (x, y) => [acrossOf(x), (mercatorHalfWorld - y) / (2 * mercatorHalfWorld)],
  },
  3395: {
    ...{ columns: 1, rows: 1, isMercator: false },
    place: (x, y) => [acrossOf(x), (1 - ellipsoidY(lonLatOfMercator(x, y)[1])) / 2],
  },
  // @see OSGeo Tile Map Service, profile global-geodetic
  4326: {
    ...{ columns: 2, rows: 1, isMercator: false },
    place: (x, y) => [acrossOf(x), (90 - lonLatOfMercator(x, y)[1]) / 180],
  },
}

/** Reference systems whose tiles are drawn, as EPSG codes. */
export const tileSrsCodes = Object.keys(schemes).map(Number)

/** Finds the tiles of a reference system. */
export function findTileScheme(srs: number): TileScheme | undefined {
  return schemes[srs]
}

/** Hosts of `{s}`. */
const subdomains = ['a', 'b', 'c']

/**
 * Returns the URL of a tile, null if the template is not one. Hosts of `{switch:a,b,c}` and `{s}` take turns.
 *
 * @param rows number of rows of the zoom level
 */
export function tileUrl(template: string, { z, x, y }: TileAddress, rows: number): URL | null {
  const hosts = alternativeUrls(template)
  const url = hosts.length === 0 ? template : (hosts[(x + y) % hosts.length] ?? template)
  const values: Readonly<Record<string, string | number>> = {
    ...{ '{z}': z, '{x}': x, '{y}': y, '{-y}': rows - 1 - y },
    ...{ '{q}': quadkeyOf({ z, x, y }), '{s}': subdomains[(x + y) % subdomains.length] ?? '' },
  }
  return URL.parse(url.replaceAll(/\{(?:z|x|y|-y|q|s)\}/g, (name) => String(values[name])))
}
