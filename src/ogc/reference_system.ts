/** EPSG codes that services announce for all layers, besides those of the layer and of the server: of the web, of the world and of Europe. */
const worldSystems = [3857, 4326, 3395, 4258, 3035] as const

/** Lists the EPSG codes that a service announces. Requests may name any other that the database knows. */
export function announcedSystems(own: Iterable<number>): number[] {
  return [...new Set([...worldSystems, ...own])]
}

/** A reference system as a client names it. */
export interface NamedSrs {
  /** The name, to repeat in responses. */
  readonly name: string
  /** EPSG code. */
  readonly srs: number
  /** Whether coordinates are in the order of the axes of the authority, such as latitude first; else x is first. */
  readonly followsAuthority: boolean
}

const forms: readonly (readonly [pattern: RegExp, followsAuthority: boolean])[] = [
  [/^EPSG:(\d{1,6})$/i, false],
  [/^https?:\/\/(?:www\.)?opengis\.net\/gml\/srs\/epsg\.xml#(\d{1,6})$/i, false],
  [/^urn:(?:x-)?ogc:def:crs:EPSG:[^:]*:(\d{1,6})$/i, true],
  // Without the separator of the version, as older clients write it.
  [/^urn:(?:x-)?ogc:def:crs:EPSG:(\d{1,6})$/i, true],
  [/^https?:\/\/(?:www\.)?opengis\.net\/def\/crs\/EPSG\/[^/]+\/(\d{1,6})$/i, true],
]

const crs84 =
  /^(?:CRS:84|urn:(?:x-)?ogc:def:crs:OGC:[^:]*:(?:CRS)?84|https?:\/\/(?:www\.)?opengis\.net\/def\/crs\/OGC\/[^/]+\/CRS84)$/i

/**
 * Parses the name of a reference system: URN, URL or short form. Short forms have x first, the others follow the
 * definition of the authority.
 *
 * @returns undefined for names of another form
 * @see OGC 07-092r3, OGC 09-048r5, OGC 09-025r2 clause 7.9.2.4.4
 */
export function parseSrsName(text: string): NamedSrs | undefined {
  const name = text.trim()
  if (crs84.test(name)) return { name, srs: 4326, followsAuthority: false }
  for (const [pattern, followsAuthority] of forms) {
    const code = pattern.exec(name)?.[1]
    if (code !== undefined) return { name, srs: Number(code), followsAuthority }
  }
  return undefined
}

/** Returns the URN of a reference system, with coordinates in the order of the authority. @see OGC 07-092r3 */
export function srsUrn(srs: number): NamedSrs {
  return { name: `urn:ogc:def:crs:EPSG::${srs}`, srs, followsAuthority: true }
}

/** Returns the short name of a reference system, with x first. */
export function shortSrs(srs: number): NamedSrs {
  return { name: `EPSG:${srs}`, srs, followsAuthority: false }
}
