import { type Cls, clsNames } from '../contract/registry.ts'

/** Name of the package in Pulumi. */
export const packageName = 'landform'

const tokens: ReadonlyMap<string, Cls> = new Map(clsNames.map((cls) => [tokenOf(cls), cls]))

/** Returns the name of the type of a class: `VectorLayer`. */
export function typeNameOf(cls: string): string {
  return cls.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the type of the resources of a class: `landform:index:VectorLayer`. */
export function tokenOf(cls: Cls): string {
  return `${packageName}:index:${typeNameOf(cls)}`
}

/** Type of the runs of pipelines. */
export const runToken = `${packageName}:index:Run`

/** Finds the class of a type. */
export function findClsOfToken(token: string): Cls | undefined {
  return tokens.get(token)
}

/** All types of resources, by their token. */
export const resourceTypes: ReadonlyMap<string, Cls> = tokens

/** Returns type and name of a resource from its URN. */
export function parseUrn(urn: string): { readonly type: string; readonly name: string } {
  const [, , types = '', ...name] = urn.replace(/^urn:pulumi:/, '').split('::')
  return { type: types.split('$').at(-1) ?? '', name: name.join('::') }
}

/** Returns the id that the resources of a stack are marked with on the server: `pulumi.city.dev`. */
export function stackManifestId(urn: string): string {
  const [stack = '', project = ''] = urn.replace(/^urn:pulumi:/, '').split('::')
  return `pulumi.${project}.${stack}`.replaceAll(/[^A-Za-z0-9._-]/g, '-')
}
