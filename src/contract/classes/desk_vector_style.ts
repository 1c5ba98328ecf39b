import { annotate, type ClassDescriptor } from '../descriptor.ts'
import { UploadSchema } from '../resource.ts'
import { Type } from '../type.ts'
import { dataOfParent, featureLayerClasses, styleInterfaces } from './style.ts'

/** Class desk_vector_style. */
export const deskVectorStyle = {
  label: 'Desktop GIS style',
  meaning: 'How the features of a layer are drawn, as a QML file.',
  scopes: ['resource', 'data', 'metadata'],
  parents: featureLayerClasses,
  interfaces: styleInterfaces,
  order: 100,
  table: { omit: ['file_upload'], volume: ['qml'] },
  links: [{ route: 'style.qml', text: 'The style as QML' }],
  requires: dataOfParent,
  members: {
    desk_vector_style: Type.Object({
      file_upload: Type.Optional(
        annotate(UploadSchema, {
          writeOnly: true,
          'x-wire': true,
          description: 'Upload that holds the QML file; it is kept byte for byte, and goes before qml.',
        }),
      ),
      qml: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'Text of the QML file; a plain style for the geometry type where absent.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
