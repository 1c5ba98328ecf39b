import { type ClassDescriptor, referenceObject } from '../descriptor.ts'
import { Type } from '../schema/type.ts'
import { dataOfConnection } from './style.ts'

const structure = { 'x-read': 'datastruct.read', 'x-write': 'datastruct.write' } as const

/** Class wmsclient_layer. */
export const wmsclientLayer = {
  label: 'WMS layer',
  meaning: 'Layers of an external web map service.',
  scopes: ['resource', 'datastruct', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: ['IBboxLayer', 'IExtentRenderRequest', 'IRenderableStyle', 'ITileRenderRequest'],
  order: 100,
  table: { omit: ['connection'] },
  requires: dataOfConnection,
  members: {
    wmsclient_layer: Type.Object({
      connection: referenceObject(['wmsclient_connection'], {
        ...structure,
        description: 'Connection to the service.',
      }),
      srs: Type.Object(
        { id: Type.Integer({ description: 'EPSG code.' }) },
        { ...structure, description: 'Coordinate reference system of the requests.' },
      ),
      wmslayers: Type.String({
        minLength: 1,
        ...structure,
        description: 'Layers of the service, separated by commas.',
      }),
      imgformat: Type.String({ minLength: 1, ...structure, description: 'Media type of the images.' }),
      vendor_params: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          ...structure,
          maxProperties: 100,
          default: {},
          description: 'Additional parameters of each request.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
