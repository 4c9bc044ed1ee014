import type { operations } from '../../../generated/pages.ts';
import { Failure } from '../../domain/failure.ts';
import type { Handler } from '../../http/operation.ts';
import { assetCacheControl, assets } from '../../pages/assets.ts';

/** GET /assets/{name}: a style sheet or an image of the pages; its address changes with its content. */
export function readAsset(): Handler<operations['readAsset']> {
  return async ({ path, query }, respond) => {
    const asset = assets.get(path.name);
    if (!asset) throw new Failure('not_found');
    return respond(200, asset.body.toString('utf8'), {
      'content-type': asset.type,
      'cache-control': assetCacheControl(asset, query?.v),
    });
  };
}
