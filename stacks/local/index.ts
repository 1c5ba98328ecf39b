import { resolve } from 'node:path'
import { Config } from '@pulumi/pulumi'
import { Tree } from '../../src/pulumi/index.ts'

const config = new Config()
const root = resolve(import.meta.dirname, '../..')

// Fields of resources that exist already, such as the rules of the root, belong to landform apply.
const tree = new Tree('manifests', {
  manifests: [config.get('manifests') ?? 'manifests/world.yaml'],
  folder: root,
  resourcesOnly: true,
})

/** Ids of the resources on the server, by key. */
export const ids = tree.ids
