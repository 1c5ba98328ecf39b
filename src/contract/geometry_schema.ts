import { oneOf } from './descriptor.ts'
import { datatypes, geometryTypes } from './geometry.ts'

/** Schema of a geometry type. */
export const GeometryTypeSchema = oneOf(geometryTypes, {
  description: 'Type of every geometry of the layer.',
})

/** Schema of a datatype. */
export const DatatypeSchema = oneOf(datatypes, { description: 'Type of the values.' })
