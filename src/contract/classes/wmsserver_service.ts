import { type ClassDescriptor, referenceId } from '../descriptor.ts'
import { maxServiceLayers } from '../limits.ts'
import { scaleField } from '../scale.ts'
import { patterns } from '../schema/pattern.ts'
import { Type } from '../schema/type.ts'
import { publishableClasses } from './style.ts'

/** Class wmsserver_service. */
export const wmsserverService = {
  label: 'WMS service',
  meaning: 'Styles published as a web map service.',
  scopes: ['resource', 'service', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  addresses: [
    { route: 'wms.get', name: 'WMS', qgis: 'Add WMS/WMTS Layer', permission: 'service.connect' },
    {
      route: 'wmts.rest',
      values: { path: '1.0.0/WMTSCapabilities.xml' },
      name: 'WMTS',
      qgis: 'Add WMS/WMTS Layer',
      permission: 'service.connect',
    },
  ],
  members: {
    wmsserver_service: Type.Object({
      layers: Type.Array(
        Type.Object({
          keyname: Type.String({
            pattern: patterns.printableWithoutSpaces,
            description: 'Name of the layer in the service; ASCII without spaces.',
          }),
          display_name: Type.String({ minLength: 1, description: 'Title of the layer.' }),
          resource_id: referenceId(publishableClasses, {
            description: 'Style or layer to publish.',
          }),
          min_scale_denom: scaleField('Minimum scale, as "1 : 100000".'),
          max_scale_denom: scaleField('Maximum scale, as "1 : 100000".'),
        }),
        {
          maxItems: maxServiceLayers,
          'x-key': ['keyname'],
          'x-read': 'service.connect',
          'x-write': 'service.configure',
          description: 'Published layers, from top to bottom where all are shown at once, as by TileJSON.',
        },
      ),
    }),
  },
} as const satisfies ClassDescriptor
