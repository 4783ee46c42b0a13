import type { Pattern } from '../../model/rules.ts';
import { TESTS } from './allowlists.ts';

const raw = String.raw;

const TEMPLATES = raw`(?i)\.(?:html?|xhtml|jinja2?|j2|njk|nunjucks|twig|djhtml|hbs|handlebars|mustache|ftlh?|jspx?|tag|cshtml|razor)$`;
/** Members of a request in Django, Flask, Twig and Razor. */
const OF_REQUEST = raw`(?:request\.(?:GET|POST|COOKIES|META|args|form|values|cookies|headers|query|query_params|params)\b|app\.request\.|Request\.(?:Query|Form|Cookies|Headers)\b)`;

const UNESCAPED = {
  severity: 'low',
  message: 'If the value holds text of users, their scripts run in the browsers of all others.',
  fix: 'Let the template escape the value, or clean the markup with a list of allowed elements.',
  cwe: 'CWE-79',
} as const;

/** Templates that put text into a page as it is. */
export const templatePatterns = [
  {
    id: 'risk-template-request',
    description: 'Request data without escaping in a template',
    regex: raw`\{\{-?[^{}\n]{0,120}${OF_REQUEST}[^{}\n]{0,120}\|\s{0,4}(?:safe|raw)\b`,
    path: TEMPLATES,
    keywords: ['safe', 'raw'],
    allowlists: [TESTS],
    severity: 'high',
    message: 'A link to this page runs a script in the browser of anybody who follows it.',
    fix: 'Leave the filter out, so that the template escapes the value.',
    cwe: 'CWE-79',
    source: 'https://docs.djangoproject.com/en/stable/ref/templates/builtins/#safe',
    examples: {
      path: 'templates/search.html',
      match: [
        '<p>{{ request.GET.q|safe }}</p>',
        '<p>{{ request.args.get("q") | safe }}</p>',
        '<p>{{ app.request.query.get("q")|raw }}</p>',
      ],
      noMatch: ['<p>{{ request.GET.q }}</p>', '<p>{{ page.text|safe }}</p>'],
    },
  },
  {
    id: 'risk-template-unescaped',
    description: 'Value without escaping (Django, Jinja, Nunjucks, Twig)',
    regex: raw`\{\{-?\s{0,4}[a-zA-Z_][^{}\n]{0,200}\|\s{0,4}(?:safe|safeseq|raw)\b`,
    path: TEMPLATES,
    keywords: ['safe', 'raw'],
    allowlists: [
      TESTS,
      {
        description: 'text that another filter made harmless, or forms of a library',
        regexTarget: 'line',
        regexes: [
          raw`\|\s{0,4}(?:tojson|json_encode|escapejs|escape|e|force_escape|striptags|bleach|sanitize\w{0,20}|sanitise\w{0,20}|clean\w{0,20}|urlencode|url_encode|nh3)\b`,
          raw`(?i)\b(?:form|csrf)\w{0,20}\b[^{}\n]{0,80}\|\s{0,4}(?:safe|raw)\b`,
        ],
      },
    ],
    ...UNESCAPED,
    source: 'https://jinja.palletsprojects.com/en/stable/templates/#html-escaping',
    examples: {
      path: 'templates/post.html',
      match: ['<div>{{ post.body|safe }}</div>', '<div>{{ post.body | raw }}</div>'],
      noMatch: [
        '<div>{{ post.body }}</div>',
        '<script>const data = {{ data|tojson|safe }};</script>',
        '<div>{{ "<b>"|safe }}</div>',
        '{{ form.as_p|safe }}',
      ],
    },
  },
  {
    id: 'risk-template-escaping-off',
    description: 'Part of a template without escaping (Django, Jinja, Twig, FreeMarker)',
    regex: raw`\{%-?\s{0,4}autoescape\s{1,4}(?:off|false)\b|<#noautoesc>`,
    path: TEMPLATES,
    keywords: ['autoescape', 'noautoesc'],
    allowlists: [TESTS],
    ...UNESCAPED,
    source: 'https://docs.djangoproject.com/en/stable/ref/templates/builtins/#autoescape',
    examples: {
      path: 'templates/post.html',
      match: [
        '{% autoescape off %}',
        '{%- autoescape false %}',
        raw`<#noautoesc>${'$'}{a}</#noautoesc>`,
      ],
      noMatch: ['{% autoescape on %}', '{% endautoescape %}'],
    },
  },
  {
    id: 'risk-template-java-unescaped',
    description: 'Value without escaping (Thymeleaf, JSP, FreeMarker)',
    regex: raw`\bth:utext\s{0,4}=|\bescapeXml\s{0,4}=\s{0,4}["']false|\$\{[^{}\n]{1,200}\?no_esc\b`,
    path: TEMPLATES,
    keywords: ['th:utext', 'escapexml', 'no_esc'],
    allowlists: [TESTS],
    ...UNESCAPED,
    source: 'https://www.thymeleaf.org/doc/tutorials/3.1/usingthymeleaf.html#unescaped-text',
    examples: {
      path: 'templates/post.html',
      match: [
        raw`<div th:utext="${'$'}{post.body}"></div>`,
        raw`<c:out value="${'$'}{name}" escapeXml="false"/>`,
        raw`<p>${'$'}{post.body?no_esc}</p>`,
      ],
      noMatch: [raw`<div th:text="${'$'}{post.body}"></div>`, raw`<c:out value="${'$'}{name}"/>`],
    },
  },
  {
    id: 'risk-template-razor-unescaped',
    description: 'Value without escaping (Razor)',
    regex: raw`@Html\.Raw\(\s{0,4}[A-Za-z_]|@\(\(MarkupString\)`,
    path: raw`(?i)\.(?:cshtml|razor)$`,
    keywords: ['html.raw', 'markupstring'],
    allowlists: [
      TESTS,
      {
        description: 'JSON, or text that was cleaned',
        regexTarget: 'line',
        regexes: [
          raw`(?i)\bHtml\.Raw\(\s{0,4}(?:Json|JsonConvert|JsonSerializer|HtmlEncoder|\w{0,20}sanitiz)`,
        ],
      },
    ],
    ...UNESCAPED,
    source: 'https://learn.microsoft.com/en-us/aspnet/core/mvc/views/razor#expression-encoding',
    examples: {
      path: 'Views/Post.cshtml',
      match: ['<div>@Html.Raw(Model.Body)</div>', '<div>@((MarkupString)body)</div>'],
      noMatch: [
        '<div>@Model.Body</div>',
        '<script>var m = @Html.Raw(Json.Serialize(Model));</script>',
        '@Html.Raw("<b>")',
      ],
    },
  },
] satisfies readonly Pattern[];
