import { existsSync } from 'node:fs'

// A checkout has sources; the published package has what is built of them.
const source = new URL('../src/cli/pulumi_provider.ts', import.meta.url)
const built = new URL('../dist/cli/pulumi_provider.js', import.meta.url)
void import((existsSync(source) ? source : built).href)
