import { CustomResource, type CustomResourceOptions, type Input, type Output } from '@pulumi/pulumi'
import type { Cls } from '../contract/registry.ts'
import { inputSchemas } from '../provider/provider_schema.ts'
import { tokenOf } from '../provider/resource_type.ts'
import type { SourceAsset } from './source.ts'

/** Properties that a program may also pass as outputs of other resources, at every depth. */
export type Inputs<T> = {
  readonly [Name in keyof T]: Name extends 'parent' ? Input<string> | LandformResource : Deep<T[Name]>
}

/** A value, or an output, of which every part may be an output. */
export type Deep<T> = Input<
  T extends SourceAsset
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Deep<Item>[]
      : T extends object
        ? { readonly [Name in keyof T]: Deep<T[Name]> }
        : T
>

interface Construction {
  readonly args: object
  readonly options: CustomResourceOptions | undefined
}

/** A resource on a server. */
export class LandformResource extends CustomResource {
  /** Key, unique on the server. */
  declare readonly key: Output<string>
  /** Id on the server. */
  declare readonly resource_id: Output<number>

  constructor(cls: Cls, name: string, { args, options = {} }: Construction) {
    const names = [...Object.keys(inputSchemas(cls)), 'resource_id']
    // The program reads all properties, also those that it does not set.
    const absent = Object.fromEntries(names.map((property) => [property, undefined]))
    const { parent, ...rest } = args as { readonly parent?: unknown }
    const key = parent instanceof LandformResource ? parent.key : parent
    super(tokenOf(cls), name, { ...absent, ...rest, parent: key }, options)
  }
}

/** Returns the options that look up an existing resource. */
export function lookUp(id: string, options: CustomResourceOptions = {}): CustomResourceOptions {
  return { ...options, id }
}
