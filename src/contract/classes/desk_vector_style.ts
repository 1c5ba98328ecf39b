import { UploadSchema } from '../bodies/resource.ts'
import { annotate, type ClassDescriptor } from '../descriptor.ts'
import { Type } from '../schema/type.ts'
import { dataOfParent, featureLayerClasses, styleInterfaces } from './style.ts'
import { TileCacheMember } from './tile_cache.ts'

/** Class desk_vector_style. */
export const deskVectorStyle = {
  label: 'Desktop GIS style',
  meaning: 'A style for the features of a layer, as a QML or SLD file.',
  scopes: ['resource', 'data', 'metadata'],
  parents: featureLayerClasses,
  interfaces: styleInterfaces,
  order: 100,
  table: { omit: ['file_upload'], volume: ['qml'] },
  links: [{ route: 'style.qml', text: 'Download QML' }],
  requires: dataOfParent,
  members: {
    desk_vector_style: Type.Object({
      file_upload: Type.Optional(
        annotate(UploadSchema, {
          writeOnly: true,
          'x-wire': true,
          description: 'Upload of the QML or SLD file; stored byte for byte, and takes precedence over qml.',
        }),
      ),
      qml: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'Content of the QML or SLD file; defaults to a simple style for the geometry type.',
        }),
      ),
    }),
    tile_cache: TileCacheMember,
  },
} as const satisfies ClassDescriptor
