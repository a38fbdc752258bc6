import { fileURLToPath } from 'node:url';
import { AssetHashType } from 'aws-cdk-lib';
import { type AssetCode, Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { bundleSequencer, bundleUpload } from './bundle.ts';

/** The runtime of all functions. */
export const RUNTIME = Runtime.NODEJS_24_X;

const bundles = { upload: bundleUpload, sequencer: bundleSequencer };

/**
 * Builds the bundle of a function during synth. The asset hash covers the output, so that the function is only
 * redeployed if its code changes. The source map is left out: zipped, it is three times as large as the code, and it
 * makes the import 25 % slower.
 * @param name the folder of the function in functions/
 */
export const bundledCode = (name: keyof typeof bundles): AssetCode =>
  // Each function has its own folder: for the same folder, CDK would reuse the first bundle.
  Code.fromAsset(fileURLToPath(new URL(`../../functions/${name}`, import.meta.url)), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK requires an image, but never uses it: local bundling always succeeds or throws.
      image: RUNTIME.bundlingImage,
      local: { tryBundle: (outDir) => Boolean(bundles[name](outDir, { sourceMap: false })) },
    },
  });
