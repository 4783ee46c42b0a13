import type { Package } from './line.ts';

/** Dialogs, messages, maps and editors that take markup, and their switches. */
export const widgets: readonly Package[] = [
  {
    package: 'sweetalert2',
    link: 'https://sweetalert2.github.io',
    aliases: 'Swal',
    sinks: [
      {
        exports: 'fire mixin',
        kind: 'markup',
        options: 'html title footer',
        link: '/#configuration',
      },
      { exports: 'fire', kind: 'markup', args: [0, 1], link: '/#examples' },
      { exports: 'update', kind: 'markup', options: 'footer html title', link: '/#methods' },
    ],
  },
  {
    package: 'toastr',
    link: 'https://github.com/CodeSeven/toastr#escape-html-characters',
    aliases: 'toastr',
    sinks: [
      { exports: 'success info warning error', kind: 'markup', args: [0, 1], unless: 'escapeHtml' },
    ],
  },
  {
    package: 'noty',
    link: 'https://ned.im/noty',
    sinks: [{ exports: 'default', kind: 'markup', options: 'text', link: '/#/options' }],
  },
  {
    package: 'notyf',
    link: 'https://github.com/caroso1222/notyf',
    receivers: 'notyf',
    sinks: [
      { exports: '*.success *.error', kind: 'markup' },
      { exports: '*.open', kind: 'markup', options: 'message' },
    ],
  },
  {
    package: 'vex-js',
    link: 'https://github.com/HubSpot/vex',
    sinks: [
      { exports: 'open', kind: 'markup', options: 'unsafeContent' },
      {
        exports: 'dialog.alert dialog.confirm dialog.prompt dialog.open',
        kind: 'markup',
        options: 'unsafeMessage',
      },
    ],
  },
  {
    package: 'bootbox',
    link: 'https://bootboxjs.com/documentation.html',
    aliases: 'bootbox',
    sinks: [
      { exports: 'alert confirm', kind: 'markup' },
      { exports: 'dialog alert confirm prompt', kind: 'markup', options: 'message title' },
    ],
  },
  {
    package: 'tippy.js',
    link: 'https://atomiks.github.io/tippyjs/v6/all-props/#allowhtml',
    sinks: [{ exports: 'default', kind: 'markup', options: 'content', when: 'allowHTML' }],
  },
  {
    package: 'bootstrap',
    link: 'https://getbootstrap.com/docs/5.3/getting-started/javascript/#sanitizer',
    sinks: [
      {
        exports: 'Tooltip Popover',
        kind: 'escaping',
        options: 'sanitize',
        value: /^false$/,
        severity: 'medium',
      },
    ],
  },
  {
    package: 'quill',
    link: 'https://quilljs.com/docs/modules/clipboard',
    receivers: 'quill clipboard',
    sinks: [
      {
        exports: '*.dangerouslyPasteHTML *.pasteHTML',
        kind: 'markup',
        args: [0, 1],
        link: '#dangerouslypastehtml',
      },
    ],
  },
  {
    package: 'tinymce',
    link: 'https://www.tiny.cloud/docs/tinymce/latest',
    receivers: 'tinymce',
    sinks: [
      {
        exports: '*.setContent *.insertContent',
        kind: 'markup',
        severity: 'high',
        link: '/apis/tinymce.editor/#setContent',
      },
      {
        exports: 'init',
        kind: 'exposure',
        options: 'allow_script_urls',
        value: /^true$/,
        link: '/content-filtering/',
      },
    ],
  },
  {
    package: 'ckeditor4',
    link: 'https://ckeditor.com/docs/ckeditor4/latest/guide/dev_disallowed_content.html',
    aliases: 'CKEDITOR',
    sinks: [
      {
        exports: 'replace inline',
        kind: 'exposure',
        options: 'allowedContent',
        value: /^true$/,
        severity: 'low',
        link: 'https://ckeditor.com/docs/ckeditor4/latest/guide/dev_acf.html',
      },
    ],
  },
  {
    package: 'mermaid',
    link: 'https://mermaid.js.org/config/usage.html',
    sinks: [
      {
        exports: 'initialize',
        kind: 'escaping',
        options: 'securityLevel',
        value: /^loose$/,
        severity: 'medium',
        link: '#securitylevel',
      },
    ],
  },
  {
    package: 'leaflet',
    link: 'https://leafletjs.com/reference.html',
    receivers: 'marker popup',
    sinks: [
      { exports: '*.bindPopup *.setPopupContent', kind: 'markup', link: '#layer-bindpopup' },
      { exports: '*.bindTooltip *.setTooltipContent', kind: 'markup', link: '#layer-bindtooltip' },
      { exports: 'divIcon', kind: 'markup', options: 'html', link: '#divicon' },
      { exports: 'popup', kind: 'markup', options: 'content', link: '#popup' },
    ],
  },
  {
    package: 'mapbox-gl',
    link: 'https://docs.mapbox.com/mapbox-gl-js/api/markers/#popup#sethtml',
    sinks: [{ exports: '*.setHTML', kind: 'markup' }],
  },
  {
    package: 'maplibre-gl',
    link: 'https://maplibre.org/maplibre-gl-js/docs/API/classes/Popup/#sethtml',
    sinks: [{ exports: '*.setHTML', kind: 'markup' }],
  },
  {
    package: 'highlight.js',
    link: 'https://highlightjs.readthedocs.io/en/latest/api.html',
    sinks: [
      {
        exports: 'configure',
        kind: 'escaping',
        options: 'ignoreUnescapedHTML',
        value: /^true$/,
        severity: 'low',
        link: '#configure',
      },
    ],
  },
];
