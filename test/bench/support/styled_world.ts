import type { World } from './both.ts'
import type { BenchServer } from './running.ts'

/** Ids of the styles of the regions and the cities. */
export interface WorldStyles {
  readonly regions: number
  readonly cities: number
}

const formatMap = (style: string, { layer = '', label = '' } = {}) =>
  `<map><symbol><type>ellipse</type><name>dot</name><points>1 1</points><filled>true</filled></symbol>
  <layer>${layer}<class><style>${style}</style>${label}</class></layer></map>`
const regionStyle =
  '<color red="253" green="180" blue="98"/><outlinecolor red="51" green="51" blue="51"/><width>0.7</width>'
const cityStyle = '<symbol>dot</symbol><size>4</size><color red="220" green="30" blue="30"/>'

const nameLabel = {
  layer: '<labelitem>name</labelitem>',
  label: `<label><size>9</size><position>auto</position><color red="0" green="0" blue="0"/>
    <outlinecolor red="255" green="255" blue="255"/></label>`,
}

/** Creates a style for each layer of the world, with their names as labels where these are wanted. */
export async function createStyles(
  { layers, server }: Pick<World, 'layers' | 'server'>,
  { labels = false }: { readonly labels?: boolean } = {},
): Promise<WorldStyles> {
  const options = labels ? nameLabel : {}
  return {
    regions: await createStyle(server, layers.regions, formatMap(regionStyle, options)),
    cities: await createStyle(server, layers.cities, formatMap(cityStyle, options)),
  }
}

async function createStyle(server: BenchServer, parent: number, xml: string): Promise<number> {
  const resource = {
    cls: 'mapsrv_style',
    parent: { id: parent },
    display_name: xml.includes('<label>') ? 'Labels' : 'Symbols',
  }
  return (await server.ask<{ id: number }>('POST', '/api/resource/', { resource, mapsrv_style: { xml } })).id
}

/** Returns the paths of PNG tiles. */
export function tilePaths(resources: string, tiles: readonly string[]): string[] {
  return tiles.map((tile) => `/api/component/render/tile?resource=${resources}&nd=204&${tile}`)
}
