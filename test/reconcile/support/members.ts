import type { Cls } from '../../../src/contract/registry.ts'
import { choose, type Draw, type Place } from './arbitrary.ts'
import type { Block } from './literals.ts'

type Members = NonNullable<Block['members']>

/** Gives the keys of what stands already, of some classes. */
export function keysOf(placed: Place['placed'], classes: readonly Cls[]): string[] {
  return placed.filter(({ cls }) => classes.includes(cls)).map(({ key }) => key)
}

/** Gives the members of a class that is no layer, map style or web map; those without any have none. */
export function otherMembersOf(one: Draw, place: Place): Members {
  return makers[place.cls]?.(one, place) ?? {}
}

const makers: { readonly [C in Cls]?: (one: Draw, place: Place) => Members } = {
  lookup_table: (one) => {
    const items = Object.fromEntries(Object.entries(one.meta ?? {}).map(([key, value]) => [key, `${value}`]))
    const order = one.pick % 2 === 0 ? {} : { order: Object.keys(items).reverse() }
    return { lookup_table: { items, ...(one.pick % 3 === 0 ? { sort: 'VALUE_DESC' } : order) } }
  },
  wmsclient_connection: (one) => ({
    wmsclient_connection: {
      url: `https://maps.example.org/${one.colour}`,
      version: one.pick % 2 === 0 ? '1.1.1' : '1.3.0',
    },
  }),
  wmsclient_layer: (one, { placed }) => {
    const connection = choose(keysOf(placed, ['wmsclient_connection']), one.pick)
    if (connection === undefined) return {}
    const parameters = one.extent === undefined ? {} : { vendor_params: { time: `${one.extent}` } }
    const own = { srs: { id: 3857 }, wmslayers: `a,b${one.colour}`, imgformat: 'image/png' }
    return { wmsclient_layer: { connection, ...own, ...parameters } }
  },
  basemap_layer: (one) => ({
    basemap_layer: {
      url: `https://tiles.example.org/${one.colour}/{z}/{x}/{y}.png`,
      ...(one.extent === undefined ? {} : { z_max: 10 + (one.pick % 10), copyright_text: one.name }),
    },
  }),
  // Without a text the style is the server's own, and stays so.
  desk_vector_style: (one) =>
    one.extent === undefined
      ? {}
      : { desk_vector_style: { qml: `<qgis>\n  <a b="${one.colour}"/>\n</qgis>` } },
  tracker: (one, { key }) => ({
    tracker: {
      unique_id: key,
      device_type: 'svc_mobile',
      consumption_lpkm: one.extent === undefined ? null : one.colour / 10,
      ...(one.description === undefined ? {} : { description: one.description }),
    },
  }),
  wmsserver_service: (one, { placed }) => ({
    wmsserver_service: {
      layers: keysOf(placed, ['mapsrv_style', 'desk_vector_style', 'wmsclient_layer']).map((key, at) => ({
        keyname: `l${(at + one.pick) % 50}-${at}`,
        display_name: one.name,
        resource_id: key,
        ...(one.pick % 2 === 0 ? {} : { min_scale_denom: `1 : ${1000 * (at + 1)}` }),
      })),
    },
  }),
  wfsserver_service: (one, { placed }) => ({
    wfsserver_service: {
      layers: keysOf(placed, ['vector_layer']).map((key, at) => ({
        keyname: `l${at}`,
        display_name: `${one.name} ${at}`,
        resource_id: key,
        ...(one.pick % 2 === 0 ? {} : { maxfeatures: one.pick }),
      })),
    },
  }),
}
