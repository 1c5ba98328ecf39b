import { type ClassDescriptor, nullable, referenceId } from '../descriptor.ts'
import { maxServiceLayers } from '../limits.ts'
import { patterns } from '../schema/pattern.ts'
import { Type } from '../schema/type.ts'
import { featureLayerClasses } from './style.ts'

/** Class wfsserver_service. */
export const wfsserverService = {
  label: 'WFS service',
  meaning: 'Layers published as a web feature service.',
  scopes: ['resource', 'service', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  addresses: [
    { route: 'wfs.get', name: 'WFS', qgis: 'Add WFS Layer', permission: 'service.connect' },
    { route: 'ogcapi.landing', name: 'OGC API', qgis: 'Add WFS Layer', permission: 'service.connect' },
  ],
  members: {
    wfsserver_service: Type.Object({
      layers: Type.Array(
        Type.Object({
          keyname: Type.String({
            pattern: patterns.printableWithoutSpaces,
            description: 'Name of the feature type; ASCII without spaces.',
          }),
          display_name: Type.String({ minLength: 1, description: 'Title of the feature type.' }),
          resource_id: referenceId(featureLayerClasses, { description: 'Layer to publish.' }),
          maxfeatures: Type.Optional(
            nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }), {
              default: null,
              description: 'Maximum number of features in a response.',
            }),
          ),
        }),
        {
          maxItems: maxServiceLayers,
          'x-key': ['keyname'],
          'x-read': 'service.connect',
          'x-write': 'service.configure',
          description: 'Published layers.',
        },
      ),
    }),
  },
} as const satisfies ClassDescriptor
