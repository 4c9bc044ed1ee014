// Draws the contract that the page carries. Runs in the browser, as a classic script so that it also runs from a folder.
'use strict';

{
  const style = getComputedStyle(document.documentElement);
  /** A colour of the style sheet, which knows light and dark. */
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const font = getComputedStyle(document.body).fontFamily;
  const codeFont = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace';

  const theme = {
    spacing: { sectionVertical: 28 },
    colors: {
      primary: { main: colour('accent') },
      success: { main: colour('accent') },
      error: { main: colour('problem') },
      warning: { main: colour('caution'), contrastText: colour('card') },
      text: { primary: colour('text'), secondary: colour('quiet') },
      border: { light: colour('hairline'), dark: colour('edge') },
      gray: { 50: colour('ground'), 100: colour('hairline') },
      responses: {
        success: { color: colour('accent'), backgroundColor: colour('accent-soft'), tabTextColor: '#8fe3d0' },
        error: { color: colour('problem'), backgroundColor: colour('problem-soft'), tabTextColor: '#ffb1a8' },
        redirect: { color: colour('caution'), backgroundColor: colour('caution-soft'), tabTextColor: '#f3cd85' },
      },
    },
    schema: {
      linesColor: colour('edge'),
      nestedBackground: colour('ground'),
      typeNameColor: colour('quiet'),
      typeTitleColor: colour('quiet'),
      requireLabelColor: colour('problem'),
      arrow: { color: colour('quiet') },
    },
    typography: {
      fontSize: '15px',
      lineHeight: '1.55',
      fontFamily: font,
      fontWeightBold: '650',
      headings: { fontFamily: font, fontWeight: '650', lineHeight: '1.3' },
      code: { fontFamily: codeFont, color: colour('accent-strong'), backgroundColor: colour('accent-soft') },
      links: {
        color: colour('accent'),
        visited: colour('accent'),
        hover: colour('accent-strong'),
        textDecoration: 'underline',
      },
    },
    sidebar: {
      backgroundColor: colour('ground'),
      textColor: colour('text'),
      activeTextColor: colour('accent'),
      groupItems: { activeBackgroundColor: colour('accent-soft') },
      level1Items: { activeBackgroundColor: colour('accent-soft') },
    },
    rightPanel: {
      backgroundColor: '#16201d',
      servers: {
        overlay: { backgroundColor: colour('card'), textColor: colour('text') },
        url: { backgroundColor: colour('ground') },
      },
    },
    codeBlock: { backgroundColor: '#0b110f' },
    fab: { backgroundColor: colour('card'), color: colour('accent') },
  };
  const options = {
    hideDownloadButtons: true,
    nativeScrollbars: true,
    expandResponses: '200,201',
    jsonSamplesExpandLevel: 3,
    sortRequiredPropsFirst: true,
    theme,
  };
  const contract = JSON.parse(document.getElementById('contract').textContent);
  globalThis.Redoc.init(contract, options, document.getElementById('reference'));
}
